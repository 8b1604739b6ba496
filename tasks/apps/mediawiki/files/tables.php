<?php
// What the wiki says now, kept up by the database itself: a page's text is spread over five tables, and its numbers tell how
// it came about. The wiki does not know of these tables.
$db = new SQLite3( '/data/db/wiki.sqlite' );
$db->enableExceptions( true );
$name = static fn ( $ns, $title ) => "(CASE $ns WHEN 0 THEN '' WHEN 1 THEN 'Talk:' WHEN 2 THEN 'User:' WHEN 3 THEN 'User talk:' "
	. "WHEN 4 THEN 'Workshop:' WHEN 5 THEN 'Workshop talk:' WHEN 8 THEN 'MediaWiki:' WHEN 10 THEN 'Template:' WHEN 14 THEN 'Category:' "
	. "ELSE $ns || ':' END || replace(CAST($title AS TEXT), '_', ' '))";
$seconds = static fn ( $t ) => "CAST(strftime('%s', substr($t,1,4)||'-'||substr($t,5,2)||'-'||substr($t,7,2)||' '||substr($t,9,2)||':'||substr($t,11,2)||':'||substr($t,13,2)) AS INTEGER)";
$hours = static fn ( $t, $from ) => "(CASE WHEN $t IS NULL OR $t LIKE 'inf%' THEN 'for good' ELSE CAST(round(({$seconds( $t )} - $from) / 3600.0) AS INTEGER) || ' hours' END)";
$now = "CAST(strftime('%s', 'now') AS INTEGER)";

$db->exec( "
CREATE TABLE page_now (name TEXT PRIMARY KEY, text TEXT);
CREATE TABLE edit_now (name TEXT PRIMARY KEY, by TEXT, summary TEXT, minor INTEGER);
CREATE TABLE protection_now (name TEXT, what TEXT, who TEXT, how_long TEXT, cascade INTEGER, PRIMARY KEY (name, what));
CREATE TABLE block_now (who TEXT PRIMARY KEY, how_long TEXT, accounts INTEGER, own_talk INTEGER, everywhere INTEGER, last_address INTEGER, reason TEXT);
" );
$written = "
  INSERT OR REPLACE INTO page_now SELECT {$name( 'new.page_namespace', 'new.page_title' )}, CAST(old_text AS TEXT)
    FROM slots JOIN content ON content_id = slot_content_id JOIN text ON old_id = CAST(substr(content_address, 4) AS INTEGER)
    WHERE slot_revision_id = new.page_latest;
  INSERT OR REPLACE INTO edit_now SELECT {$name( 'new.page_namespace', 'new.page_title' )}, actor_name, comment_text, rev_minor_edit
    FROM revision JOIN actor ON actor_id = rev_actor LEFT JOIN revision_comment_temp ON revcomment_rev = rev_id
    LEFT JOIN comment ON comment_id = CASE WHEN rev_comment_id > 0 THEN rev_comment_id ELSE revcomment_comment_id END WHERE rev_id = new.page_latest;";
$gone = "
  DELETE FROM page_now WHERE name = {$name( 'old.page_namespace', 'old.page_title' )};
  DELETE FROM edit_now WHERE name = {$name( 'old.page_namespace', 'old.page_title' )};";
$protected = "
  INSERT OR REPLACE INTO protection_now SELECT {$name( 'page_namespace', 'page_title' )}, new.pr_type, new.pr_level, {$hours( 'new.pr_expiry', $now )}, new.pr_cascade
    FROM page WHERE page_id = new.pr_page;";
$free = "
  DELETE FROM protection_now WHERE what = old.pr_type AND name IN (SELECT {$name( 'page_namespace', 'page_title' )} FROM page WHERE page_id = old.pr_page);";
$blocked = "
  INSERT OR REPLACE INTO block_now SELECT CAST(new.ipb_address AS TEXT), {$hours( 'new.ipb_expiry', $seconds( 'new.ipb_timestamp' ) )}, new.ipb_create_account, new.ipb_allow_usertalk, new.ipb_sitewide, new.ipb_enable_autoblock,
    (SELECT comment_text FROM comment WHERE comment_id = new.ipb_reason_id);";
$unblocked = "
  DELETE FROM block_now WHERE who = CAST(old.ipb_address AS TEXT);";
$renamed = "
  UPDATE protection_now SET name = {$name( 'new.page_namespace', 'new.page_title' )} WHERE name = {$name( 'old.page_namespace', 'old.page_title' )};";
$db->exec( "
CREATE TRIGGER page_now_update AFTER UPDATE OF page_latest, page_title, page_namespace ON page BEGIN $gone $written $renamed END;
CREATE TRIGGER page_now_delete AFTER DELETE ON page BEGIN $gone END;
CREATE TRIGGER protection_now_insert AFTER INSERT ON page_restrictions BEGIN $protected END;
CREATE TRIGGER protection_now_update AFTER UPDATE ON page_restrictions BEGIN $free $protected END;
CREATE TRIGGER protection_now_delete BEFORE DELETE ON page_restrictions BEGIN $free END;
CREATE TRIGGER block_now_insert AFTER INSERT ON ipblocks BEGIN $blocked END;
CREATE TRIGGER block_now_update AFTER UPDATE ON ipblocks BEGIN $unblocked $blocked END;
CREATE TRIGGER block_now_delete AFTER DELETE ON ipblocks BEGIN $unblocked END;
" );
// What the installation did is nobody's recent change.
$db->exec( 'DELETE FROM recentchanges; DELETE FROM logging; DELETE FROM log_search' );
// The page that comes with the installation is written anew for each instance, and so known then.
