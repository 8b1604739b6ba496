<?php
// Writes the pages of an instance through the wiki itself, in the order and at the times that they are told in.
require '/app/site/maintenance/Maintenance.php';

use MediaWiki\MediaWikiServices;
use MediaWiki\Revision\SlotRecord;
use Wikimedia\Timestamp\ConvertibleTimestamp;

class Seed extends Maintenance {
	public function execute() {
		$told = json_decode( file_get_contents( '/data/seed/wiki.json' ), true );
		$services = MediaWikiServices::getInstance();
		$time = time() - 5 * 86400;
		$accounts = [];
		foreach ( $told['edits'] as $edit ) {
			$time += 3600 + 60 * ( strlen( $edit['text'] ) % 50 );
			ConvertibleTimestamp::setFakeTime( $time );
			$by = $edit['by'] ?? 'Robin';
			if ( !isset( $accounts[$by] ) ) {
				$user = $services->getUserFactory()->newFromName( $by );
				if ( !$user->isRegistered() ) $user->addToDatabase();
				$accounts[$by] = $user;
			}
			$title = Title::newFromText( $edit['title'] );
			$page = $services->getWikiPageFactory()->newFromTitle( $title );
			$updater = $page->newPageUpdater( $accounts[$by] );
			$updater->setContent( SlotRecord::MAIN, ContentHandler::makeContent( $edit['text'], $title ) );
			$updater->saveRevision( CommentStoreComment::newUnsavedComment( $edit['summary'] ?? '' ), $title->exists() ? 0 : EDIT_NEW );
		}
		DeferredUpdates::doUpdates();
	}
}

$maintClass = Seed::class;
require RUN_MAINTENANCE_IF_MAIN;
