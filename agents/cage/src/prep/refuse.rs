//! What a script may not do, found before anything of it runs.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_comprehension, walk_expr, walk_parameter, walk_stmt};
use ruff_python_ast::{Comprehension, Expr, ExprContext, Number, Operator, Parameter, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::known;
use super::names::{BoundNames, nearest};
use super::text::ScriptText;
use crate::engine::Surface;
use crate::error::Refusal;

/// Prefix of the prelude's names.
pub const OWN: &str = "_w_";
const TOLD: usize = 12;

/// All that is to be mended; empty where the script may run.
pub fn refusals(
    text: &ScriptText<'_>,
    names: &BoundNames,
    surface: &Surface,
    entry: Option<&str>,
) -> Vec<Refusal> {
    let mut search =
        Search { text, names, surface, found: Vec::new(), attributes: attributes(names, surface) };
    text.parsed.suite().iter().for_each(|stmt| search.visit_stmt(stmt));
    if let Some(entry) = entry
        && !text.parsed.suite().iter().any(|s| matches!(s, Stmt::FunctionDef(d) if d.name.as_str() == entry))
    {
        let what = format!("there is no function {entry}");
        search.found.push(text.refuse(TextRange::default(), &what, &format!("define it: def {entry}(...):")));
    }
    search.found.sort_by_key(|r| (r.line, r.column));
    search.found.dedup();
    search.found.truncate(TOLD);
    search.found
}

fn attributes<'a>(names: &'a BoundNames, surface: &'a Surface) -> HashSet<&'a str> {
    let mut all: HashSet<&str> = known::ATTRIBUTES.iter().collect();
    all.extend(names.attributes.iter().map(String::as_str));
    all.insert("id");
    for class in &surface.classes {
        all.extend(class.methods.iter().chain(&class.fields).chain(&class.live).map(String::as_str));
    }
    for group in &surface.constants {
        all.extend(group.members.iter().map(String::as_str));
    }
    all
}

struct Search<'a> {
    text: &'a ScriptText<'a>,
    names: &'a BoundNames,
    surface: &'a Surface,
    found: Vec<Refusal>,
    attributes: HashSet<&'a str>,
}

impl Search<'_> {
    fn refuse(&mut self, at: impl Ranged, what: &str, advice: &str) {
        self.found.push(self.text.refuse(at, what, advice));
    }

    fn bind(&mut self, at: impl Ranged, name: &str) {
        if name.starts_with(OWN) {
            self.refuse(at, &format!("the name {name} is reserved"), "choose a name without _w_ in front");
        }
    }

    fn import(&mut self, at: TextRange, module: &str, name: Option<&str>) {
        if module == "__future__" || module == "typing" || module == "collections.abc" {
            return;
        }
        let top = module.split('.').next().unwrap_or_default();
        let own = known::MODULES.iter().find(|(m, _)| *m == module).map(|(_, has)| *has);
        let added: Vec<&str> =
            known::shims().filter(|(m, ..)| *m == module).map(|(_, name, _)| name).collect();
        if own.is_none() && added.is_empty() {
            let advice =
                known::NO_MODULES.iter().find(|(m, _)| *m == top).map(|(_, advice)| (*advice).to_owned());
            let advice = advice.unwrap_or_else(|| format!("these exist: {}", module_names().join(", ")));
            self.refuse(at, &format!("there is no module {module} here"), &advice);
            return;
        }
        let has = own.unwrap_or_default();
        if let Some(name) = name
            && name != "*"
            && !has.contains(name)
            && !added.contains(&name)
        {
            let all = has.iter().chain(added.iter().copied());
            let advice = match (module, name) {
                ("dataclasses", "field") => {
                    "give the field the default None, and set it after making the object".into()
                }
                _ => match nearest(name, all) {
                    Some(near) => format!("did you mean {near}?"),
                    None => "write it with plain Python".into(),
                },
            };
            self.refuse(at, &format!("the module {module} has no {name} here"), &advice);
        }
    }

    fn name(&mut self, at: TextRange, name: &str) {
        if self.names.has(name) {
            return;
        }
        if let Some((_, advice)) = known::FORBIDDEN.iter().find(|(n, _)| *n == name) {
            return self.refuse(at, &format!("{name} does not exist here"), advice);
        }
        let surface = self.surface;
        let of_surface = || {
            let classes = surface.classes.iter().map(|c| c.name.as_str());
            let groups = surface.constants.iter().map(|c| c.group.as_str());
            surface.functions.iter().map(String::as_str).chain(classes).chain(groups)
        };
        let exists = known::BUILTINS.contains(name)
            || known::EXCEPTIONS.contains(name)
            || known::ADDED.iter().any(|(n, _)| *n == name)
            || of_surface().any(|n| n == name);
        if exists {
            return;
        }
        let bound = self.names.bound.iter().map(String::as_str);
        let near = nearest(name, of_surface().chain(bound).chain(known::BUILTINS.iter()));
        let advice = match near {
            Some(near) => format!("did you mean {near}?"),
            None => "define it first; only the listed tools exist".into(),
        };
        self.refuse(at, &format!("the name {name} is not defined"), &advice);
    }

    fn attribute(&mut self, attribute: &ruff_python_ast::ExprAttribute) {
        let name = attribute.attr.as_str();
        if name.starts_with("__") && name.ends_with("__") {
            let of_type = matches!(&*attribute.value, Expr::Call(call)
                if matches!(&*call.func, Expr::Name(f) if f.id.as_str() == "type"));
            let advice = match name {
                "__name__" if of_type => return,
                "__class__" => "use type(...) or isinstance(...)",
                "__name__" => "use type(...).__name__, or write the name",
                _ => "names with two underscores do not exist here; use the listed tools",
            };
            return self.refuse(&attribute.attr, &format!("the attribute {name} does not exist"), advice);
        }
        if let Expr::Name(value) = &*attribute.value
            && let Some(module) = self.names.modules.get(value.id.as_str())
        {
            return self.import(attribute.attr.range, &module.clone(), Some(name));
        }
        if attribute.ctx != ExprContext::Load || self.attributes.contains(name) {
            return;
        }
        let advice = match nearest(name, self.attributes.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => "only the listed attributes and methods exist".into(),
        };
        self.refuse(&attribute.attr, &format!("nothing here has an attribute {name}"), &advice);
    }

    fn class(&mut self, def: &ruff_python_ast::StmtClassDef) {
        if let Some(arguments) = &def.arguments {
            let bases: Vec<&str> = arguments.args.iter().map(|base| self.text.slice(base.range())).collect();
            let advice = match bases.as_slice() {
                [] | ["object"] if arguments.keywords.is_empty() => None,
                [one] if one.ends_with("Exception") || one.ends_with("Error") => {
                    Some("raise ValueError or RuntimeError with a text instead")
                }
                _ => Some("write plain functions, or a class without a base"),
            };
            if let Some(advice) = advice {
                self.refuse(&def.name, &format!("the class {} inherits", def.name), advice);
            }
        }
        for stmt in &def.body {
            match stmt {
                Stmt::FunctionDef(method) => {
                    if let Some(decorator) = method.decorator_list.first() {
                        self.refuse(
                            decorator,
                            "a method has a decorator",
                            "write a plain method or function",
                        );
                    }
                    let name = method.name.as_str();
                    if name.starts_with("__") && name.ends_with("__") && !known::OWN_DUNDERS.contains(name) {
                        let what = format!("the method {name} is never called here");
                        self.refuse(&method.name, &what, "write a method with a plain name, and call it");
                    }
                }
                Stmt::Assign(assign) if matches!(assign.targets.as_slice(), [Expr::Name(_)]) => {}
                Stmt::AnnAssign(assign) if matches!(&*assign.target, Expr::Name(_)) => {}
                Stmt::Pass(_) => {}
                Stmt::Expr(e) if matches!(&*e.value, Expr::StringLiteral(_) | Expr::EllipsisLiteral(_)) => {}
                other => self.refuse(
                    other,
                    "a class holds more than methods and simple fields",
                    "move it out of the class",
                ),
            }
        }
    }

    fn delete(&mut self, def: &ruff_python_ast::StmtDelete) {
        match def.targets.as_slice() {
            [Expr::Subscript(target)] if !stepped(&target.slice) => {}
            [Expr::Name(_)] => self.refuse(def, "del of a name", "set it to None"),
            _ => self.refuse(def, "del of several things", "remove one after the other with pop"),
        }
    }
}

impl<'a> Visitor<'a> for Search<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                self.bind(&def.name, &def.name);
                if def.is_async {
                    self.refuse(&def.name, "an async function", "tools are called without await: write def");
                }
            }
            Stmt::ClassDef(def) => {
                self.bind(&def.name, &def.name);
                self.class(def);
            }
            Stmt::Delete(def) => self.delete(def),
            Stmt::Assign(assign) => {
                let slices = assign.targets.iter().filter(|t| is_slice(t)).count();
                let plain = matches!(assign.targets.as_slice(), [Expr::Subscript(t)] if !stepped(&t.slice));
                if slices > 0 && !plain {
                    self.refuse(
                        stmt,
                        "slices are assigned together",
                        "assign one slice at a time, without a step",
                    );
                }
            }
            Stmt::AugAssign(assign) if is_slice(&assign.target) => {
                self.refuse(stmt, "a slice is changed in place", "write a loop over the indices");
            }
            Stmt::For(stmt) if stmt.is_async => {
                self.refuse(stmt, "an async loop", "tools are called without await: write for");
            }
            Stmt::With(stmt) if stmt.is_async => {
                self.refuse(stmt, "an async with", "tools are called without await: write with");
            }
            Stmt::Try(stmt) if stmt.is_star => self.refuse(stmt, "except*", "write except"),
            Stmt::Match(stmt) => self.refuse(
                TextRange::empty(stmt.range.start()),
                "a match statement",
                "write if, elif and else",
            ),
            Stmt::TypeAlias(stmt) => self.refuse(stmt, "a type alias", "leave it out"),
            Stmt::IpyEscapeCommand(stmt) => self.refuse(stmt, "a shell escape", "write plain Python"),
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.bind(alias, alias.asname.as_ref().unwrap_or(&alias.name));
                    self.import(alias.range, &alias.name, None);
                    if alias.name.contains('.') && alias.name.as_str() != "collections.abc" {
                        self.refuse(alias, "a module inside a module", "import the outer module");
                    }
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |m| m.as_str());
                if import.level > 0 {
                    self.refuse(import, "a relative import", "there are no other files");
                }
                for alias in &import.names {
                    self.bind(alias, alias.asname.as_ref().unwrap_or(&alias.name));
                    if alias.name.as_str() == "*" {
                        self.refuse(alias, "an import of everything", "name what is needed");
                    }
                    self.import(alias.range, module, Some(&alias.name));
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load => self.name(name.range, &name.id),
                _ => self.bind(name, &name.id),
            },
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                self.refuse(expr, "yield", "collect the values in a list and return it");
            }
            Expr::Await(_) => self.refuse(expr, "await", "tools are called without await"),
            Expr::TString(_) => self.refuse(expr, "a template string", "write an f-string"),
            Expr::IpyEscapeCommand(_) => self.refuse(expr, "a shell escape", "write plain Python"),
            Expr::NumberLiteral(number) if matches!(number.value, Number::Complex { .. }) => {
                self.refuse(expr, "a complex number", "use two numbers");
            }
            Expr::BinOp(op) if op.op == Operator::MatMult => {
                self.refuse(expr, "a product of matrices", "write loops");
            }
            Expr::BinOp(op) if op.op == Operator::BitOr && (is_dict(&op.left) || is_dict(&op.right)) => {
                self.refuse(expr, "two dictionaries joined with |", "write {**a, **b}");
            }
            Expr::Call(call) if call.arguments.keywords.iter().filter(|k| k.arg.is_none()).count() > 1 => {
                self.refuse(expr, "a call with several **", "join them first: {**a, **b}");
            }
            // All its items are computed at once: the name would end up with another value.
            Expr::Generator(generator) if super::rewrite::binds(generator) => {
                self.refuse(expr, "a name is bound inside a generator expression", "write a loop");
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        if comprehension.is_async {
            self.refuse(comprehension, "an async comprehension", "tools are called without await: write for");
        }
        walk_comprehension(self, comprehension);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bind(&parameter.name, &parameter.name);
        walk_parameter(self, parameter);
    }

    // The engine does not evaluate them.
    fn visit_annotation(&mut self, _annotation: &'a Expr) {}
}

fn module_names() -> Vec<&'static str> {
    let mut all: Vec<&str> =
        known::MODULES.iter().map(|(m, _)| *m).chain(known::shims().map(|(m, ..)| m)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn is_slice(target: &Expr) -> bool {
    match target {
        Expr::Subscript(subscript) => matches!(&*subscript.slice, Expr::Slice(_)),
        Expr::Tuple(tuple) => tuple.elts.iter().any(is_slice),
        Expr::List(list) => list.elts.iter().any(is_slice),
        _ => false,
    }
}

fn stepped(slice: &Expr) -> bool {
    matches!(slice, Expr::Slice(slice) if slice.step.is_some())
}

fn is_dict(expr: &Expr) -> bool {
    match expr {
        Expr::Dict(_) | Expr::DictComp(_) => true,
        Expr::Call(call) => matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "dict"),
        _ => false,
    }
}
