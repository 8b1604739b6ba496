//! The table that the program prints: a line for each page, block, paragraph, line and word, in columns parted by tabs.

use crate::words::Word;

/// The level of a line that is a word.
const WORD: &str = "5";

/// The words of each of `pages` pages; what does not fit the form is left out.
pub(crate) fn read(table: &str, pages: usize) -> Vec<Vec<Word>> {
    let mut found = vec![Vec::new(); pages];
    for line in table.lines() {
        let mut columns = line.splitn(12, '\t');
        let (level, page) = (columns.next(), columns.next());
        if level != Some(WORD) {
            continue;
        }
        let page = page.and_then(|page| page.parse::<usize>().ok()).and_then(|page| page.checked_sub(1));
        // Block, paragraph, line, word, and where it is.
        let (sure, text) = (columns.nth(8), columns.next());
        let Some((words, sure)) = page
            .and_then(|page| found.get_mut(page))
            .zip(sure.and_then(|sure| sure.parse::<f32>().ok()).filter(|sure| sure.is_finite()))
        else {
            continue;
        };
        words.push(Word { text: text.unwrap_or_default().trim().to_owned(), sure });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_to_their_pages_and_what_is_no_word_is_left_out() {
        let table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
                     1\t1\t0\t0\t0\t0\t0\t0\t200\t40\t-1\t\n\
                     5\t1\t1\t1\t1\t1\t8\t8\t40\t20\t96.5\tSave\n\
                     5\t1\t1\t1\t1\t2\t50\t8\t40\t20\t91\tas\n\
                     5\t3\t1\t1\t1\t1\t8\t8\t40\t20\t33\ta\tb\n\
                     5\t9\t1\t1\t1\t1\t8\t8\t40\t20\t33\tbeyond\n\
                     5\t0\t1\t1\t1\t1\t8\t8\t40\t20\t33\tbefore\n\
                     5\t1\t1\t1\t1\t1\t8\t8\t40\t20\tNaN\tunsure\n\
                     5\t1\n";
        let found = read(table, 3);
        let texts: Vec<Vec<&str>> =
            found.iter().map(|words| words.iter().map(|word| word.text.as_str()).collect()).collect();
        assert_eq!(texts, [vec!["Save", "as"], vec![], vec!["a\tb"]]);
        assert!((found[0][0].sure - 96.5).abs() < 0.01);
    }

    proptest::proptest! {
        #[test]
        fn any_table_is_read_without_a_panic(table in "[0-9\t\n a-z.-]{0,400}", pages in 0_usize..4) {
            proptest::prop_assert_eq!(read(&table, pages).len(), pages);
        }
    }
}
