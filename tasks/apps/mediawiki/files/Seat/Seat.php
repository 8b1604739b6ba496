<?php
/** Who sits at the keyboard is logged in as the user that the application's tasks are written for. */
class SeatSessionProvider extends MediaWiki\Session\ImmutableSessionProviderWithCookie {
	public function __construct( array $params = [] ) {
		parent::__construct( [] );
		$this->priority = MediaWiki\Session\SessionInfo::MAX_PRIORITY;
	}

	public function provideSessionInfo( WebRequest $request ) {
		return new MediaWiki\Session\SessionInfo( MediaWiki\Session\SessionInfo::MAX_PRIORITY, [
			'provider' => $this,
			'id' => str_repeat( 'seat', 8 ),
			'userInfo' => MediaWiki\Session\UserInfo::newFromName( 'Robin', true ),
			'persisted' => true,
			'forceUse' => true,
		] );
	}
}

if ( PHP_SAPI !== 'cli' ) {
	$wgSessionProviders = [ SeatSessionProvider::class => [ 'class' => SeatSessionProvider::class, 'args' => [ [] ] ] ];
}
