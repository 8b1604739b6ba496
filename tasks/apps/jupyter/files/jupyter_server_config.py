"""How JupyterLab runs in an instance: one person, no way out, and notebooks kept in a form that can be judged."""

c = get_config()  # noqa: F821

c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port = 8000
c.ServerApp.open_browser = False
c.ServerApp.allow_root = True
c.ServerApp.allow_remote_access = True
c.ServerApp.disable_check_xsrf = True
c.ServerApp.root_dir = "/data/work"
c.ServerApp.log_level = "ERROR"
c.ServerApp.terminals_enabled = False
c.ServerApp.jpserver_extensions = {
    "jupyterlab": True, "jupyter_lsp": False, "notebook_shim": False, "jupyter_server_terminals": False,
}
c.IdentityProvider.token = ""
c.LabApp.extension_manager = "readonly"
c.LabApp.news_url = None
c.LabServerApp.user_settings_dir = "/data/settings"
c.LabApp.user_settings_dir = "/data/settings"
c.LabApp.workspaces_dir = "/tmp/workspaces"
c.FileContentsManager.delete_to_trash = False
c.FileCheckpoints.checkpoint_dir = "/tmp/checkpoints"


def plain(model, **_):
    """Notebooks are saved without what says nothing: how often a cell ran, names of cells that chance made, and what the
    kernel says of its language."""
    if model["type"] != "notebook":
        return
    book = model["content"]
    book["metadata"].pop("language_info", None)
    for number, cell in enumerate(book["cells"], 1):
        if "id" in cell:
            cell["id"] = f"cell-{number}"
        cell["metadata"].pop("execution", None)
        cell["metadata"].pop("trusted", None)
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
            for output in cell["outputs"]:
                if "execution_count" in output:
                    output["execution_count"] = None


c.FileContentsManager.pre_save_hook = plain
