<?php
// Who sits at the keyboard is logged in to the one database. What its tables are made of is written down after each page, for
// that is judged as well.
function tell_schema() {
    $base = new SQLite3('/data/stock.db', SQLITE3_OPEN_READONLY);
    $base->busyTimeout(5000);
    $told = [];
    $rows = $base->query("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name");
    while ($row = $rows->fetchArray(SQLITE3_ASSOC)) {
        $name = $row['name'];
        if ($row['type'] !== 'table') {
            $told["$row[type] $name"] = $row['sql'] . "\n";
            continue;
        }
        $text = '';
        $quoted = '"' . str_replace('"', '""', $name) . '"';
        $columns = $base->query("PRAGMA table_info($quoted)");
        while ($column = $columns->fetchArray(SQLITE3_ASSOC)) {
            $default = $column['dflt_value'] === null ? '' : ' default ' . trim($column['dflt_value'], "'");
            $text .= trim("$column[name] " . strtolower($column['type'])) . ($column['notnull'] ? ' not null' : '') . ($column['pk'] ? ' key' : '') . "$default\n";
        }
        $others = $base->query("PRAGMA foreign_key_list($quoted)");
        while ($other = $others->fetchArray(SQLITE3_ASSOC)) {
            $text .= "$other[from] refers to $other[table].$other[to]\n";
        }
        $told["table $name"] = $text;
    }
    foreach ($told as $name => $text) {
        $name = strtr($name, '/', '_');
        if (@file_get_contents("/data/schema/$name") !== $text) file_put_contents("/data/schema/$name", $text);
    }
    foreach (glob('/data/schema/*') as $path) {
        if (!isset($told[basename($path)])) unlink($path);
    }
}

if (PHP_SAPI === 'cli') {
    tell_schema();
    exit;
}
register_shutdown_function('tell_schema');
if (!isset($_GET['username']) && !isset($_GET['file']) && !isset($_GET['script'])) {
    header('Location: /?sqlite=&username=robin&db=stock.db');
    exit;
}
chdir('/data');
$_SERVER['SCRIPT_FILENAME'] = '/data/index.php';
function adminer_object() {
    require_once '/app/parts/plugin.php';
    require_once '/app/parts/version-noverify.php';
    class Seat extends AdminerPlugin {
        function name() { return 'Stock'; }
        function credentials() { return ['', 'robin', '']; }
        function login($login, $password) { return true; }
        function permanentLogin($create = false) { return ''; }
    }
    $_SESSION['pwds']['sqlite']['']['robin'] = '';
    $_SESSION['db']['sqlite']['']['robin']['stock.db'] = true;
    return new Seat([new AdminerVersionNoverify()]);
}

require '/app/parts/adminer.php';
