//! Flags of WebArena's tasks.

use std::path::PathBuf;

/// Which of WebArena's tasks, where their sites are, and who judges what rules alone cannot.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "WebArena")]
pub struct WebarenaArgs {
    /// The folder of WebArena's task files, for webarena: a checkout of one of its versions, or any folder of such
    /// files.
    #[arg(long, value_name = "DIR")]
    pub webarena_dir: Option<PathBuf>,
    /// The version whose rules hold: upstream (WebArena), lite (WebArena-Lite), v2 (WebArena-Lite-v2), verified
    /// (WebArena-Verified).
    #[arg(long, value_name = "RULES", default_value = "upstream",
        value_parser = ["upstream", "lite", "v2", "verified"], requires = "webarena_dir")]
    pub webarena_rules: String,
    /// A list of WebArena-Verified's tasks, such as hard, in place of all 812.
    #[arg(long, value_name = "LIST", requires = "webarena_dir")]
    pub webarena_set: Option<String>,
    /// Where a site is: shopping, shopping_admin (its address ends in /admin), reddit, gitlab, map, wikipedia or
    /// homepage; may be given several times. Agents may go to these and nowhere else; tasks of other sites are left out.
    #[arg(long = "site", value_name = "NAME=URL", requires = "webarena_dir")]
    pub sites: Vec<String>,
    /// The model that judges where the rules ask for one, or replay:DIR; without it these tasks are left out.
    #[arg(long, value_name = "NAME", requires = "webarena_dir")]
    pub judge_model: Option<String>,
    /// The endpoint of the judge's model, of the wire chat [default: that of --base-url].
    #[arg(long, value_name = "URL", requires = "judge_model")]
    pub judge_base_url: Option<String>,
    /// The environment variable that holds the judge's key [default: JUDGE_API_KEY; without --judge-base-url that of
    /// --api-key-env].
    #[arg(long, value_name = "VARIABLE", requires = "judge_model")]
    pub judge_key_env: Option<String>,
}
