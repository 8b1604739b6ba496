<?php
$conf['savedir'] = '/data/data';
$conf['lang'] = 'en';
$conf['license'] = '';
$conf['useacl'] = 1;
$conf['authtype'] = 'authseat';
$conf['superuser'] = '@admin';
$conf['disableactions'] = 'register,resendpwd,profile_delete';
$conf['updatecheck'] = 0;
$conf['userewrite'] = 0;
$conf['subscribers'] = 0;
$conf['fetchsize'] = 0;
$conf['usedraft'] = 0;
$conf['allowdebug'] = 0;
