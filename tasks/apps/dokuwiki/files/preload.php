<?php
// Settings are the instance's own, and lie beside its pages.
if (!defined('DOKU_CONF')) define('DOKU_CONF', '/data/conf/');
