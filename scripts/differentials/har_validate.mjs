// Validates an archive of HAR 1.2 by its JSON schema and by its types; called by scripts/diff har.
//
//   har_validate.mjs FOLDER ARCHIVE    FOLDER is where har-schema, ajv, ajv-formats, @types/har-format and typescript are installed

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [folder, archive] = process.argv.slice(2).map((path) => resolve(path));
const load = createRequire(join(folder, "here.js"));
const text = readFileSync(archive, "utf8");
const faults = [];

const Ajv = load("ajv").default;
const ajv = new Ajv({ strict: false, allErrors: true });
load("ajv-formats").default(ajv);
ajv.addMetaSchema(load("ajv/dist/refs/json-schema-draft-06.json"));
const schemas = load("har-schema");
for (const schema of Object.values(schemas)) ajv.addSchema(schema);
if (!ajv.validate(schemas.har.$id, JSON.parse(text)))
  faults.push(...ajv.errors.slice(0, 10).map((error) => `${error.instancePath} ${error.message}`));

// An archive that is no longer valid has to fail, or nothing is checked here.
const broken = JSON.parse(text);
delete broken.log.entries[0].request.headers;
if (ajv.validate(schemas.har.$id, broken)) faults.push("the schema takes an entry without headers");

const ts = load("typescript");
const made = mkdtempSync(join(folder, "typed-"));
const program = (value) => `import type { Har } from "har-format";\nexport const har: Har = ${JSON.stringify(value)};\n`;
const said = (name, value) => {
  const path = join(made, name);
  writeFileSync(path, program(value));
  const options = { noEmit: true, strict: true, target: ts.ScriptTarget.ES2022, types: [], skipLibCheck: true };
  const all = ts.getPreEmitDiagnostics(ts.createProgram([path], options));
  return all.map((one) => ts.flattenDiagnosticMessageText(one.messageText, " ").slice(0, 300));
};
// Fields of one's own begin with an underscore.
const plain = JSON.parse(text, (_, value) =>
  value && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith("_")))
    : value);
faults.push(...said("archive.ts", plain).slice(0, 10));
if (!said("broken.ts", broken).length) faults.push("the types take an entry without headers");
rmSync(made, { recursive: true });

if (faults.length) {
  console.log(faults.join("\n"));
  process.exit(1);
}
