//! The sites that tasks are played on, their addresses and accounts.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use waldo_devices::{Origin, OriginRule};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    Shopping,
    ShoppingAdmin,
    Reddit,
    Gitlab,
    Map,
    Wikipedia,
    Homepage,
}

/// Who signs in, and where. The accounts are the same in every copy of the sites, and public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The path of the form, behind the site's address.
    pub form: &'static str,
    pub user: &'static str,
    pub password: &'static str,
}

waldo_devices::named!(Site {
    Shopping = "shopping", ShoppingAdmin = "shopping_admin", Reddit = "reddit", Gitlab = "gitlab", Map = "map",
    Wikipedia = "wikipedia", Homepage = "homepage"
});

impl Site {
    /// What stands for its address in task files.
    pub fn placeholder(self) -> String {
        format!("__{}__", self.name().to_uppercase())
    }

    pub fn account(self) -> Option<Account> {
        let account = |form, user, password| Some(Account { form, user, password });
        match self {
            Self::Shopping => account("/customer/account/login/", "emma.lopez@gmail.com", "Password.123"),
            Self::ShoppingAdmin => account("", "admin", "admin1234"),
            Self::Reddit => account("/login", "MarvelsGrantMan136", "test1234"),
            Self::Gitlab => account("/users/sign_in", "byteblaze", "hello1234"),
            Self::Map | Self::Wikipedia | Self::Homepage => None,
        }
    }
}

/// A site with its address, as `shopping=http://127.0.0.1:7770`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteAddress {
    pub site: Site,
    /// Without a slash at its end.
    pub address: String,
}

impl FromStr for SiteAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (site, address) =
            text.split_once('=').ok_or("write NAME=URL, such as shopping=http://127.0.0.1:7770")?;
        let site = site.parse()?;
        let address = address.trim_end_matches('/');
        if Origin::of(address).is_none() || address.contains(['"', '\\', '\'', '<', ' ', '@']) {
            return Err(format!("'{address}' is not an address of a site: write http://HOST[:PORT][/PATH]"));
        }
        Ok(Self { site, address: address.to_owned() })
    }
}

impl fmt::Display for SiteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.site, self.address)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sites(BTreeMap<Site, String>);

impl Sites {
    pub fn new(all: &[SiteAddress]) -> Result<Self, String> {
        let mut sites = BTreeMap::new();
        for SiteAddress { site, address } in all {
            if sites.insert(*site, address.clone()).is_some() {
                return Err(format!("the site {site} is named twice"));
            }
        }
        Ok(Self(sites))
    }

    pub fn address(&self, site: Site) -> Option<&str> {
        self.0.get(&site).map(String::as_str)
    }

    pub fn all(&self) -> impl Iterator<Item = (Site, &str)> {
        self.0.iter().map(|(site, address)| (*site, address.as_str()))
    }

    /// The origins of all of them: where an agent may go.
    pub fn origins(&self) -> Vec<OriginRule> {
        let mut all: Vec<String> =
            self.0.values().filter_map(|url| Origin::of(url)).map(|origin| origin.address()).collect();
        all.sort();
        all.dedup();
        all.iter().filter_map(|origin| OriginRule::parse(origin).ok()).collect()
    }

    /// Puts the addresses in place of what stands for them, in every text of a value.
    pub fn fill(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                for (site, address) in &self.0 {
                    if text.contains("__") {
                        *text = text.replace(&site.placeholder(), address);
                    }
                }
            }
            Value::Array(all) => all.iter_mut().for_each(|one| self.fill(one)),
            Value::Object(all) => all.values_mut().for_each(|one| self.fill(one)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The sites whose addresses are not filled in, in any text of a value.
pub(crate) fn unfilled(value: &Value) -> Vec<Site> {
    let text = value.to_string();
    Site::ALL.into_iter().filter(|site| text.contains(&site.placeholder())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_are_filled_in_and_what_is_no_site_is_refused() {
        let site = |text: &str| text.parse::<SiteAddress>().unwrap();
        let sites =
            Sites::new(&[site("shopping=http://h:1/"), site("shopping_admin=http://h:2/admin")]).unwrap();
        let mut value = json!({ "a": ["__SHOPPING__/x |OR| __SHOPPING_ADMIN__/y"], "b": "__REDDIT__" });
        sites.fill(&mut value);
        assert_eq!(value["a"][0], "http://h:1/x |OR| http://h:2/admin/y");
        assert_eq!(unfilled(&value), [Site::Reddit]);
        let origins: Vec<String> = sites.origins().into_iter().map(String::from).collect();
        assert_eq!(origins, ["http://h:1", "http://h:2"]);
        for bad in
            ["shopping", "shop=http://h", "shopping=h:1", "shopping=http://h/\"x", "reddit=http://u:p@h"]
        {
            assert!(bad.parse::<SiteAddress>().is_err(), "{bad}");
        }
        let twice: SiteAddress = "map=http://h".parse().unwrap();
        assert!(Sites::new(&[twice.clone(), twice]).is_err());
    }
}
