//! The names that a script binds, all scopes thrown together.
//!
//! Throwing them together errs towards leaving the script alone: a builtin that is bound anywhere is
//! taken for the script's own everywhere.

use std::collections::{BTreeSet, HashMap, HashSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameter, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, ExprContext, Parameter, Stmt};

use super::known;
use crate::engine::Surface;

#[derive(Debug, Default)]
pub struct BoundNames {
    pub bound: HashSet<String>,
    /// Names of modules, and the modules they stand for: `import math as m`.
    pub modules: HashMap<String, String>,
    /// Names imported from modules: `from math import hypot as h` is `h`, of `math`, `hypot`.
    pub imported: HashMap<String, (String, String)>,
    /// Attributes set on the script's own objects, fields and methods of its own classes.
    pub attributes: HashSet<String>,
}

impl BoundNames {
    pub fn of(body: &[Stmt]) -> Self {
        let mut names = Self::default();
        body.iter().for_each(|stmt| names.visit_stmt(stmt));
        // A name that is also bound otherwise stands for nothing certain.
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut count = Count(&mut counts);
        body.iter().for_each(|stmt| count.visit_stmt(stmt));
        names.modules.retain(|name, _| !counts.contains_key(name));
        names.imported.retain(|name, _| !counts.contains_key(name));
        names
    }

    /// Takes modules of the standard library, and names of theirs that mean nothing else, as imported where the
    /// script uses them without an import; the lines that import them.
    pub(crate) fn import_known(&mut self, body: &[Stmt], surface: &Surface) -> String {
        let mut used = Used::default();
        body.iter().for_each(|stmt| used.visit_stmt(stmt));
        let mut lines = String::new();
        for name in used.0 {
            if self.has(&name) || surface.functions.contains(&name) {
                continue;
            }
            let module = known::MODULES.iter().map(|(module, _)| *module);
            if module.chain(known::shims().map(|(module, ..)| module)).any(|module| module == name) {
                // Modules that are nothing but what the prelude adds are not there to be imported.
                if known::MODULES.iter().any(|(module, _)| *module == name) {
                    lines.push_str(&format!("import {name}\n"));
                }
                self.modules.insert(name.clone(), name.clone());
                self.bound.insert(name);
            } else if let Some((module, _)) =
                known::COMMON.iter().find(|(_, has)| has.contains(name.as_str()))
            {
                lines.push_str(&match known::stand_in(module, &name) {
                    Some(own) => format!("{name} = {own}\n"),
                    None => format!("from {module} import {name}\n"),
                });
                self.imported.insert(name.clone(), ((*module).to_owned(), name.clone()));
                self.bound.insert(name);
            }
        }
        lines
    }

    pub fn has(&self, name: &str) -> bool {
        self.bound.contains(name)
    }
}

impl<'a> Visitor<'a> for BoundNames {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                self.bound.insert(def.name.to_string());
            }
            Stmt::ClassDef(def) => {
                self.bound.insert(def.name.to_string());
                self.members(&def.body);
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let module = alias.name.to_string();
                    let top = module.split('.').next().unwrap_or_default().to_owned();
                    let name = alias.asname.as_ref().map_or(top, ToString::to_string);
                    self.bound.insert(name.clone());
                    self.modules.insert(name, module);
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or_else(String::new, ToString::to_string);
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).to_string();
                    self.bound.insert(name.clone());
                    self.imported.insert(name, (module.clone(), alias.name.to_string()));
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) if name.ctx == ExprContext::Store => {
                self.bound.insert(name.id.to_string());
            }
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Store => {
                self.attributes.insert(attribute.attr.to_string());
            }
            // The fields of a named tuple are told in a string or list.
            Expr::Call(call) => {
                if matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "namedtuple") {
                    self.tuple_fields(call.arguments.args.get(1));
                }
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bound.insert(parameter.name.to_string());
        walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.bound.insert(name.to_string());
        }
        ruff_python_ast::visitor::walk_except_handler(self, handler);
    }

    fn visit_annotation(&mut self, _annotation: &'a Expr) {}
}

impl BoundNames {
    fn members(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::FunctionDef(def) => {
                    self.attributes.insert(def.name.to_string());
                }
                Stmt::Assign(assign) => {
                    for target in &assign.targets {
                        if let Expr::Name(name) = target {
                            self.attributes.insert(name.id.to_string());
                        }
                    }
                }
                Stmt::AnnAssign(assign) => {
                    if let Expr::Name(name) = &*assign.target {
                        self.attributes.insert(name.id.to_string());
                    }
                }
                _ => {}
            }
        }
    }

    fn tuple_fields(&mut self, fields: Option<&Expr>) {
        match fields {
            Some(Expr::StringLiteral(text)) => {
                let text = text.value.to_str().replace(',', " ");
                self.attributes.extend(text.split_whitespace().map(str::to_owned));
            }
            Some(Expr::List(list)) => list.elts.iter().for_each(|e| self.tuple_fields(Some(e))),
            Some(Expr::Tuple(tuple)) => tuple.elts.iter().for_each(|e| self.tuple_fields(Some(e))),
            _ => {}
        }
    }
}

struct Count<'c>(&'c mut HashMap<String, usize>);

impl<'a> Visitor<'a> for Count<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => *self.0.entry(def.name.to_string()).or_default() += 1,
            Stmt::ClassDef(def) => *self.0.entry(def.name.to_string()).or_default() += 1,
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr
            && name.ctx == ExprContext::Store
        {
            *self.0.entry(name.id.to_string()).or_default() += 1;
        }
        walk_expr(self, expr);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        *self.0.entry(parameter.name.to_string()).or_default() += 1;
        walk_parameter(self, parameter);
    }

    fn visit_annotation(&mut self, _annotation: &'a Expr) {}
}

#[derive(Default)]
struct Used(BTreeSet<String>);

impl<'a> Visitor<'a> for Used {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr
            && name.ctx == ExprContext::Load
        {
            self.0.insert(name.id.to_string());
        }
        walk_expr(self, expr);
    }

    fn visit_annotation(&mut self, _annotation: &'a Expr) {}
}

/// The name among `known` that was probably meant.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let most = match name.chars().count() {
        0..=2 => 0,
        3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    // Code may hold names of any length.
    let compared = |name: &str| name.chars().take(64).collect::<String>().to_ascii_lowercase();
    let name = compared(name);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let distance = strsim::levenshtein(&name, &compared(candidate));
        if distance <= most && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}
