<?php
$conf['title'] = 'Garden Club';
$conf['tagline'] = 'What we grow and how';
$conf['recent'] = 20;
