// Node-RED without anything that leaves the machine, asks, or shows the way round.
const keep = require("/app/def/storage.js");

module.exports = {
  uiHost: "127.0.0.1",
  uiPort: 8000,
  userDir: "/data/red",
  flowFile: "flows.json",
  flowFilePretty: true,
  credentialSecret: false,
  storageModule: keep,
  telemetry: { enabled: false, updateNotification: false },
  diagnostics: { enabled: false, ui: false },
  runtimeState: { enabled: false, ui: false },
  logging: { console: { level: "error", metrics: false, audit: false } },
  externalModules: { autoInstall: false, palette: { allowInstall: false, allowUpload: false, allowUpdate: false }, modules: { allowInstall: false } },
  functionExternalModules: false,
  editorTheme: {
    page: { title: "Greenhouse flows" },
    header: { title: "Greenhouse flows" },
    tours: false,
    palette: { catalogues: [] },
    projects: { enabled: false },
    codeEditor: { lib: "ace" },
    multiplayer: { enabled: false },
    menu: { "menu-item-help": false },
  },
};
