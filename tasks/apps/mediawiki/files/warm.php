<?php
// Asks once for what every page asks for, so that the caches of an instance are filled.
$server = proc_open( [ 'php', '-d', 'memory_limit=256M', '-S', '127.0.0.1:8000', '-t', '/app/site' ], [ [ 'file', '/dev/null', 'r' ], [ 'file', '/dev/null', 'w' ], [ 'file', '/dev/null', 'w' ] ], $pipes );
$get = static function ( $path ) {
	$text = @file_get_contents( "http://127.0.0.1:8000$path" );
	return is_string( $text ) ? $text : '';
};
for ( $i = 0; $i < 100 && !@fsockopen( '127.0.0.1', 8000 ); $i++ ) usleep( 50000 );
foreach ( [ '/index.php?title=Main_Page', '/index.php?title=Main_Page&action=edit', '/index.php?title=Main_Page&action=history', '/index.php?title=Special:Preferences' ] as $path ) {
	preg_match_all( '#"(/load\.php\?[^"]*)"#', $get( $path ), $found );
	foreach ( array_unique( $found[1] ) as $load ) $get( html_entity_decode( $load ) );
}
proc_terminate( $server );
