<?php
/** Who sits at the keyboard is logged in as the user that the application's tasks are written for. */
class seat extends rcube_plugin
{
    public $task = 'login';

    public function init()
    {
        $this->add_hook('startup', [$this, 'startup']);
        $this->add_hook('authenticate', [$this, 'authenticate']);
    }

    public function startup($args)
    {
        if (empty($_SESSION['user_id'])) {
            $args['action'] = 'login';
        }
        return $args;
    }

    public function authenticate($args)
    {
        return ['user' => 'robin', 'pass' => 'nobody asks', 'host' => 'localhost:1143', 'cookiecheck' => false, 'valid' => true] + $args;
    }
}
