<?php

require '/app/site/index.php';
