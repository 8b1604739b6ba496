use super::lex::{Token, tokens};

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// `a or b`, `a and b`, comparisons, sums and `|`, by their signs.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Minus(Box<Expr>),
    Text(String),
    Number(f64),
    Function(String, Vec<Expr>),
    Path {
        from_root: bool,
        steps: Vec<PathStep>,
    },
}

#[derive(Clone, Debug)]
pub struct PathStep {
    pub axis: &'static str,
    pub test: NodeTest,
    pub predicates: Vec<Expr>,
}

const AXES: &str = "child descendant descendant-or-self self parent ancestor ancestor-or-self following-sibling \
                    preceding-sibling attribute";

#[derive(Clone, Debug)]
pub enum NodeTest {
    /// An element or attribute by name, perhaps with a prefix; `*` is any.
    Name(Option<String>, String),
    /// `text()`.
    Text,
    /// `node()`.
    Node,
}

/// Brackets, calls and signs that may stand in each other.
const DEEPEST: usize = 50;
const MOST_OPERATORS: usize = 500;

pub fn parse(text: &str) -> Result<Expr, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, operators: 0 };
    let expr = parser.binary(0)?;
    match parser.peek() {
        None => Ok(expr),
        Some(token) => Err(format!("{token:?} is not expected")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    operators: usize,
}

/// Operators by rising strength.
const LEVELS: [&[&str]; 6] = [&["or"], &["and"], &["=", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["|"]];

const FUNCTIONS: &str = "true false position last not boolean count contains starts-with string number string-length \
     normalize-space concat translate name local-name";

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.sign(sign) { Ok(()) } else { Err(format!("'{sign}' is missing")) }
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        let signs = LEVELS.get(level)?;
        let found = match self.peek()? {
            Token::Sign(sign) => signs.iter().find(|s| *s == sign),
            Token::Name(name) => signs.iter().find(|s| *s == name),
            _ => None,
        };
        self.at += usize::from(found.is_some());
        self.operators += usize::from(found.is_some());
        found.copied()
    }

    fn binary(&mut self, level: usize) -> Result<Expr, String> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = self.operator(level) {
            if self.operators > MOST_OPERATORS {
                return Err(format!("it has more than {MOST_OPERATORS} operators"));
            }
            left = Expr::Binary(sign, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is nested deeper than {DEEPEST}"));
        }
        let found = self.operand();
        self.depth -= 1;
        found
    }

    fn operand(&mut self) -> Result<Expr, String> {
        if self.sign("-") {
            return Ok(Expr::Minus(Box::new(self.unary()?)));
        }
        if self.sign("(") {
            let inner = self.binary(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        match (self.peek().cloned(), self.tokens.get(self.at + 1)) {
            (Some(Token::Text(text)), _) => {
                self.at += 1;
                Ok(Expr::Text(text))
            }
            (Some(Token::Number(number)), _) => {
                self.at += 1;
                Ok(Expr::Number(number))
            }
            (Some(Token::Name(name)), Some(Token::Sign("("))) if name != "text" && name != "node" => {
                if !FUNCTIONS.split(' ').any(|known| known == name) {
                    return Err(format!("the function {name}() is not known"));
                }
                self.at += 2;
                let mut arguments = Vec::new();
                while !self.sign(")") {
                    if !arguments.is_empty() {
                        self.expect(",")?;
                    }
                    arguments.push(self.binary(0)?);
                }
                Ok(Expr::Function(name, arguments))
            }
            _ => self.path(),
        }
    }

    fn path(&mut self) -> Result<Expr, String> {
        let mut steps = Vec::new();
        let any = PathStep { axis: "descendant-or-self", test: NodeTest::Node, predicates: Vec::new() };
        let from_root = if self.sign("//") {
            steps.push(any.clone());
            true
        } else {
            let root = self.sign("/");
            if root && self.peek().is_none() {
                return Ok(Expr::Path { from_root: true, steps });
            }
            root
        };
        loop {
            steps.push(self.step()?);
            if self.sign("//") {
                steps.push(any.clone());
            } else if !self.sign("/") {
                return Ok(Expr::Path { from_root, steps });
            }
        }
    }

    fn step(&mut self) -> Result<PathStep, String> {
        let plain = |axis| PathStep { axis, test: NodeTest::Node, predicates: Vec::new() };
        if self.sign("..") {
            return Ok(plain("parent"));
        }
        if self.sign(".") {
            return Ok(plain("self"));
        }
        let axis = if self.sign("@") {
            "attribute"
        } else if let (Some(Token::Name(name)), Some(Token::Sign("::"))) =
            (self.peek(), self.tokens.get(self.at + 1))
        {
            let axis = AXES
                .split(' ')
                .find(|axis| axis == name)
                .ok_or_else(|| format!("there is no axis '{name}'"))?;
            self.at += 2;
            axis
        } else {
            "child"
        };
        let Some(Token::Name(name)) = self.peek().cloned() else {
            return Err("a name is missing".to_owned());
        };
        self.at += 1;
        let test = if self.sign("(") {
            self.expect(")")?;
            if name == "text" { NodeTest::Text } else { NodeTest::Node }
        } else {
            match name.split_once(':') {
                Some((prefix, local)) => NodeTest::Name(Some(prefix.to_owned()), local.to_owned()),
                None => NodeTest::Name(None, name),
            }
        };
        let mut predicates = Vec::new();
        while self.sign("[") {
            predicates.push(self.binary(0)?);
            self.expect("]")?;
        }
        Ok(PathStep { axis, test, predicates })
    }
}
