<?php
/** Who sits at the keyboard is logged in as the user that the application's task is written for. */
class auth_plugin_authseat extends DokuWiki_Auth_Plugin
{
    public function __construct()
    {
        parent::__construct();
        $this->cando['external'] = true;
    }

    public function trustExternal($user, $pass, $sticky = false)
    {
        global $USERINFO;
        $USERINFO = $this->getUserData('robin');
        $_SERVER['REMOTE_USER'] = 'robin';
        return true;
    }

    public function getUserData($user, $requireGroups = true)
    {
        return ['name' => ucfirst($user), 'mail' => $user . '@example.org', 'grps' => $user === 'robin' ? ['admin', 'user'] : ['user']];
    }
}
