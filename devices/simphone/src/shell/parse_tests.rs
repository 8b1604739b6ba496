use super::*;
use proptest::prelude::*;

fn words(line: &str) -> Vec<String> {
    let script = parse(line).unwrap();
    let Body::Simple { words, .. } = &script.0[0].chain[0].1.stages[0].body else {
        panic!("not simple: {line}")
    };
    words
        .iter()
        .map(|w| {
            w.0.iter()
                .map(|p| match p {
                    WordPart::Bare(t) | WordPart::Quoted(t) => t.clone(),
                    other => format!("{other:?}"),
                })
                .collect()
        })
        .collect()
}

#[test]
fn words_are_split_as_the_shell_does() {
    assert_eq!(words(r#"input text 'it'\''s' "a b"c\ d "#), ["input", "text", "it's", "a bc d"]);
    assert_eq!(words("echo a#b # rest"), ["echo", "a#b"]);
    assert_eq!(words(r#"echo "\$5 \x \"q\"" ''"#), ["echo", r#"$5 \x "q""#, ""]);
    assert_eq!(words("screencap '-p'"), ["screencap", "-p"]);
}

#[test]
fn lists_pipes_and_redirections_are_found() {
    let script = parse("rm -f x; a 2>/dev/null | b >> f 2>&1 && c || ! d &\n e").unwrap();
    assert_eq!(script.0.len(), 3);
    let chain = &script.0[1].chain;
    assert_eq!(chain.iter().map(|(j, _)| *j).collect::<Vec<_>>(), [Joint::First, Joint::And, Joint::Or]);
    assert_eq!(chain[0].1.stages[0].redirections[0].fd, 2);
    assert_eq!(chain[0].1.stages[1].redirections[1].to, RedirectTarget::Same(1));
    assert!(chain[2].1.negated);
    assert_eq!(script.0[1].place, JobMode::Background);
    assert_eq!(words("echo 2 >x"), ["echo", "2"]);
    assert_eq!(words("echo a2>x"), ["echo", "a2"]);
}

#[test]
fn compound_commands_are_read() {
    let script =
        parse("if [ -f a ]; then echo y; elif b; then c; else echo n; fi > out; for i in 1 2; do x $i; done")
            .unwrap();
    assert!(
        matches!(&script.0[0].chain[0].1.stages[0].body, Body::If(b, e) if b.len() == 2 && e.0.len() == 1)
    );
    assert!(matches!(&script.0[1].chain[0].1.stages[0].body, Body::For(n, w, _) if n == "i" && w.len() == 2));
    assert!(parse("(cd /sdcard; ls) | wc -l; { a; b; }; while ! x; do y; done").is_ok());
    assert_eq!(words("echo if then fi"), ["echo", "if", "then", "fi"]);
}

#[test]
fn faulty_lines_are_refused_in_mksh_s_words() {
    for (line, text) in [
        ("echo 'a", "no closing quote"),
        ("a | | b", "syntax error: unexpected '|'"),
        ("; a", "syntax error: unexpected ';'"),
        ("a )", "syntax error: unexpected ')'"),
        ("(a", "syntax error: unexpected EOF"),
        ("a &&", "syntax error: unexpected EOF"),
        ("fi", "syntax error: unexpected 'fi'"),
        ("echo >", "syntax error: unexpected 'newline'"),
    ] {
        assert_eq!(parse(line).unwrap_err().to_string(), text, "{line}");
    }
    assert_eq!(parse(&"(".repeat(10_000)).unwrap_err(), SyntaxError::Depth);
    assert_eq!(parse(&"$(".repeat(10_000)).unwrap_err(), SyntaxError::Depth);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_text_is_taken_without_panic(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn any_mix_of_signs_is_taken_without_panic(text in "[ab $(){}'\"`\\\\;&|<>!#\n0-2=*]{0,60}") {
        let _ = parse(&text);
    }

    #[test]
    fn a_quoted_text_reads_back(text in "[^\0]{0,40}") {
        prop_assert_eq!(words(&format!("echo {}", quote(&text))), vec!["echo".to_owned(), text]);
    }
}
