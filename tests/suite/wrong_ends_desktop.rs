//! Ends that are almost right: tasks of the built-in desktop suites with other solutions.

use std::fmt::Write as _;

use super::desktop::need;
use super::support::*;

/// A built-in task, what of its solution is replaced by what, and whether the end is right.
type Variant = (&'static str, &'static str, &'static str, bool);

const TYPED_SUM: &str = "text = \"=SUM(B2:B4)\\n\"";
const SORTED: &str = "sort names.txt > sorted.txt\\n";

const VARIANTS: &[Variant] = &[
    // A constant that is written like a formula, a sum of one cell too few, and the sum in other words.
    ("calc-sum", TYPED_SUM, "text = \"={{ p[0] + p[1] + p[2] }}\\n\"", false),
    ("calc-sum", TYPED_SUM, "text = \"=B2+B3+{{ p[2] }}\\n\"", false),
    ("calc-sum", TYPED_SUM, "text = \"=B4+B3+B2\\n\"", true),
    // A cell beside the one that was asked for.
    ("calc-correct", "text = \"{{ right }}\\n\"", "text = \"{{ right }}\\n99\\n\"", false),
    // A number as text.
    ("calc-correct", "text = \"{{ right }}\\n\"", "text = \"'{{ right }}\\n\"", false),
    (
        "calc-correct",
        "text = \"{{ right }}\\n\"",
        "text = \"7\\n\"\n\n[[reference]]\ndo = \"key\"\nkey = \"Up\"\n\n[[reference]]\ndo = \"type\"\ntext = \"{{ right }}\\n\"",
        true,
    ),
    // All lines for the first one, and text added at the end.
    ("writer-centre", "key = \"ctrl+Home\"", "key = \"ctrl+a\"", false),
    (
        "writer-centre",
        "key = \"ctrl+s\"",
        "key = \"ctrl+End\"\n\n[[reference]]\ndo = \"type\"\ntext = \" NONSENSE\"\n\n[[reference]]\ndo = \"key\"\nkey = \"ctrl+s\"",
        false,
    ),
    ("writer-bold", "key = \"shift+End\"", "key = \"ctrl+shift+End\"", false),
    // The input is spoilt; the same end in another way.
    ("terminal-sort", SORTED, "sort names.txt > sorted.txt; echo junk >> names.txt\\n", false),
    ("terminal-sort", SORTED, "sort names.txt > sorted.txt; touch more.txt\\n", false),
    ("terminal-sort", SORTED, "sort names.txt > sorted.txt; mkdir more\\n", false),
    (
        "terminal-sort",
        SORTED,
        "sort names.txt > sorted.txt; chmod 600 names.txt; ln -s names.txt link\\n",
        false,
    ),
    ("terminal-sort", SORTED, "cp names.txt x; sort x > sorted.txt; rm x\\n", true),
    // More than was asked for is executable.
    ("terminal-executable", "chmod 700 {{ name }}\\n", "chmod 755 {{ name }}\\n", false),
    // Another switch as well.
    (
        "editor-line-numbers",
        "name = \"Line Numbers\"",
        "name = \"Line Numbers\"\n\n[[reference]]\ndo = \"tap\"\nrole = \"menuitem\"\nname = \"Document\"\n\n[[reference]]\ndo = \"tap\"\nrole = \"menuitem\"\nname = \"Word Wrap\"",
        false,
    ),
];

fn built_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/suites/l3-desktop")
}

/// A suite of the variants of built-in tasks, named by their places in the list.
fn lay(suite: &Path) {
    let files = suite.join("files");
    folder(&files);
    for file in std::fs::read_dir(built_in().join("files")).unwrap().flatten() {
        std::fs::copy(file.path(), files.join(file.file_name())).unwrap();
    }
    let mut order = String::new();
    for (n, (task, from, to, _)) in VARIANTS.iter().enumerate() {
        let file = built_in().join("tasks").join(format!("{task}.toml"));
        let text = text_in(file);
        let (head, solution) = text.split_at(text.find("[[reference]]").unwrap());
        assert!(solution.contains(from), "{task}: {from}");
        let head = head.replacen(&format!("id = \"{task}\""), &format!("id = \"v{n}\"\nmax_steps = 40"), 1);
        write(suite.join(format!("tasks/v{n}.toml")), head + &solution.replace(from, to));
        write!(order, "\"v{n}\", ").unwrap();
    }
    let head = suite_head("ends", "desktop", 40, &order).replace("format = 1", "format = 2");
    write(suite.join("suite.toml"), head);
}

#[test]
fn a_desktop_task_is_solved_by_its_own_end_alone() {
    need(&["soffice", "xterm", "mousepad", "thunar"]);
    let dir = tempdir();
    lay(&dir.join("ends"));
    let args = "eval ./ends --device desktop --agent reference --json --workers 2 --out r --no-report";
    let got = waldo(&dir, args).within(Duration::from_secs(1200)).json();
    has(&got, json!({ "table/0/invalid": 0 }));
    let mut wrong = Vec::new();
    for (n, (task, _, to, right)) in VARIANTS.iter().enumerate() {
        let result = json_in(dir.join(format!("r/episodes/reference/v{n}/r0/result.json")));
        if (result["success"] == 1.0) != *right {
            wrong.push(format!("{task}, {to}: {}", result["checks"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
