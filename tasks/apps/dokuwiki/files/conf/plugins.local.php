<?php
$plugins["popularity"] = 0;
$plugins["extension"] = 0;
$plugins["authad"] = 0;
$plugins["authldap"] = 0;
$plugins["authpdo"] = 0;
$plugins["testing"] = 0;
