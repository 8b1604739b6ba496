<?php
if ( !defined( 'MEDIAWIKI' ) ) exit;
$wgSitename = 'Mill Lane Workshop';
$wgMetaNamespace = 'Workshop';
$wgServer = 'http://' . ( $_SERVER['HTTP_HOST'] ?? 'localhost' );
$wgScriptPath = '';
$wgArticlePath = '/index.php?title=$1';
$wgUsePathInfo = false;
$wgResourceBasePath = '';
$wgLogos = [ '1x' => '/resources/logo.svg' ];
$wgLanguageCode = 'en';
$wgLocaltimezone = 'UTC';
$wgSecretKey = 'kept by nobody, for every instance has a network of its own 0001';
$wgAuthenticationTokenVersion = '1';
$wgRightsText = '';

$wgDBtype = 'sqlite';
$wgDBname = 'wiki';
$wgSQLiteDataDir = '/data/db';
$seatServer = static fn ( $name ) => [
	'type' => 'sqlite', 'dbname' => $name, 'tablePrefix' => '', 'variables' => [ 'synchronous' => 'OFF' ],
	'dbDirectory' => '/data/db', 'trxMode' => 'IMMEDIATE', 'flags' => 0,
];
$wgObjectCaches[CACHE_DB] = [ 'class' => SqlBagOStuff::class, 'loggroup' => 'SQLBagOStuff', 'server' => $seatServer( 'wikicache' ) ];
$wgObjectCaches['db-replicated'] = [
	'factory' => 'Wikimedia\ObjectFactory\ObjectFactory::getObjectFromSpec',
	'args' => [ [ 'factory' => 'ObjectCache::getInstance', 'args' => [ CACHE_DB ] ] ],
];
$wgJobTypeConf['default'] = [ 'class' => 'JobQueueDB', 'claimTTL' => 3600, 'server' => $seatServer( 'wiki_jobqueue' ) ];
$wgResourceLoaderUseObjectCacheForDeps = true;
$wgMainCacheType = CACHE_DB;
$wgSessionCacheType = CACHE_DB;
$wgParserCacheType = CACHE_DB;
$wgLocalisationCacheConf = [ 'class' => LocalisationCache::class, 'store' => 'array', 'storeDirectory' => '/app/l10n', 'manualRecache' => true ];
$wgCacheDirectory = false;
$wgResourceLoaderStorageEnabled = false;

// Nothing is sent, asked for or done later.
$wgEnableEmail = false;
$wgEnableUploads = false;
$wgJobRunRate = 0;
$wgPingback = false;
$wgUseInstantCommons = false;
$wgEnableUserEmail = false;
$wgShowExceptionDetails = true;
$wgRateLimits = [];
$wgPutIPinRC = false;
$wgUseRCPatrol = false;
$wgUseNPPatrol = false;

wfLoadSkin( 'Vector' );
$wgDefaultSkin = 'vector';
wfLoadExtension( 'WikiEditor' );

// What is written does not go onto the watch list by itself, and the toolbar asks nothing.
foreach ( [ 'watchdefault', 'watchcreations', 'watchmoves', 'watchdeletion', 'watchuploads', 'watchrollback' ] as $option ) {
	$wgDefaultUserOptions[$option] = 0;
}
$wgDefaultUserOptions['usebetatoolbar'] = 1;
$wgGroupPermissions['*']['createaccount'] = false;

require __DIR__ . '/extensions/Seat/Seat.php';
