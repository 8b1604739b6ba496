<?php
// Below the site only what browsers need is served as it is; everything else is asked of Roundcube. When a page is done, what it
// changed is put into the tables that are judged, before the answer ends.
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path !== '/' && $path !== '/index.php') {
    if (preg_match('#^/(skins|program/js|program/resources|plugins)/.*\.(css|js|png|jpe?g|gif|svg|ico|woff2?|ttf|html|webp)$#', $path) && is_file($_SERVER['DOCUMENT_ROOT'] . $path)) {
        return false;
    }
    if (!preg_match('#^/index\.php/#', $path)) {
        http_response_code(404);
        return true;
    }
}
ini_set('include_path', '/app/php:' . ini_get('include_path'));
register_shutdown_function(static function () {
    register_shutdown_function(static function () {
        $told = @stream_socket_client('tcp://127.0.0.1:1144', $no, $why, 5);
        if ($told) {
            fgets($told);
        }
    });
});
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = '/app/site/index.php';
chdir('/app/site');
require '/app/site/index.php';
