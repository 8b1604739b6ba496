# Everybody in the club may write.
*	@ALL	8
*	@admin	16
