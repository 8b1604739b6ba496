// Agents that are not ours, for `waldo eval --agent cdp`; called by scripts/cdp-clients. CDP_CLIENTS names where they are installed.
//
//   cdp_agent.mjs playwright URL GOAL ANSWER            playwright-core by connectOverCDP, which decides by a script
//   cdp_agent.mjs puppeteer URL GOAL ANSWER             the same with puppeteer-core
//   cdp_agent.mjs stagehand URL GOAL ANSWER ENDPOINT    Stagehand 3, whose model is an endpoint that decides by the script
//   cdp_agent.mjs stagehand-4 URL GOAL ANSWER           Stagehand 4, as far as it comes: it wants an extension in the browser

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [who, url, goal, answer, endpoint] = process.argv.slice(2);
const installed = createRequire(resolve(process.env.CDP_CLIENTS, "here.js"));
const load = (name) => import(pathToFileURL(installed.resolve(name)));

// What the goal asks for, step by step; nothing where no page does it.
function planned() {
  const is = (pattern) => goal.match(pattern)?.slice(1);
  let found;
  if ((found = is(/^Delete the project (.*) and confirm it/)))
    return [["press", "Delete " + found[0]], ["type", found[0]], ["press", "Delete project"]];
  if ((found = is(/^Delete (.*) and (.*) from the contacts/))) return [["press", "Delete " + found[0]], ["touch", "Delete " + found[1]]];
  if ((found = is(/guest list file (.*) for the event “(.*)”/)))
    return [["choose", "Event", found[1]], ["upload", "Guest list file", found[0]], ["press", "Import guests"]];
  if ((found = is(/card "(.*)" to the column (.*) and the card "(.*)" to the column (.*?)\./)))
    return [["drag", found[0], found[1]], ["drag", found[2], found[3]]];
  if ((found = is(/parcel of (.*): its release code/))) return [["popup", found[0]], ["press", "Submit"]];
  if ((found = is(/gift card number (\d+) and the PIN (\d+); the receipt goes to (\S+)\./)))
    return [["frame", "Gift card number", found[0]], ["frame", "PIN", found[1]], ["frame", "E-mail for the receipt", found[2]], ["frame"]];
  return null;
}

// A file of this name. What is in it stays here: waldo gives the page the one that the task offers.
function fileNamed(name) {
  const folder = resolve(process.env.CDP_CLIENTS, "files");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), "");
  return join(folder, name);
}

async function playwright(steps) {
  const { chromium } = (await load("playwright-core")).default;
  // Otherwise it sends what is in a file to the page by a script.
  const browser = await chromium.connectOverCDP(url, { isLocal: true });
  const context = browser.contexts()[0];
  const page = context.pages()[0];
  page.on("dialog", (dialog) => dialog.accept());
  const button = (name) => page.getByRole("button", { name, exact: true });
  const hands = {
    press: (name) => button(name).click(),
    type: (text) => page.getByRole("textbox").pressSequentially(text),
    touch: async (name) => {
      const { x, y, width, height } = await button(name).boundingBox();
      const session = await context.newCDPSession(page);
      for (const [type, touchPoints] of [["touchStart", [{ x: x + width / 2, y: y + height / 2 }]], ["touchEnd", []]])
        await session.send("Input.dispatchTouchEvent", { type, touchPoints });
      await button(name).waitFor({ state: "detached" });
    },
    choose: (label, option) => page.getByLabel(label).selectOption(option),
    upload: async (label, name) => {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByLabel(label).click()]);
      await chooser.setFiles(fileNamed(name));
    },
    drag: (name, to) => page.getByRole("listitem", { name }).dragTo(page.getByRole("region", { name: to })),
    popup: async (who) => {
      const row = page.getByRole("row", { name: who });
      const [opened] = await Promise.all([page.context().waitForEvent("page"), row.getByRole("link").click()]);
      const code = await opened.locator("dd b").textContent();
      await opened.close();
      await page.getByLabel("Release code").fill(code);
    },
    frame: async (label, text) => {
      const frame = page.frameLocator("iframe");
      await (label ? frame.getByLabel(label).fill(text) : frame.getByRole("button").click());
    },
  };
  for (const [what, ...values] of steps) await hands[what](...values);
  await browser.close();
}

async function puppeteer(steps) {
  const { connect } = (await load("puppeteer-core")).default;
  const browser = await connect({ browserWSEndpoint: url.replace("http", "ws"), defaultViewport: null });
  const [page] = await browser.pages();
  page.on("dialog", (dialog) => dialog.accept());
  const selector = (role, name) => `::-p-aria(${name ? `[name="${name}"]` : ""}[role="${role}"])`;
  const found = (role, name, where = page) => where.waitForSelector(selector(role, name));
  const press = async (...what) => (await found(...what)).click();
  const hands = {
    press: (name) => press("button", name),
    type: async (text) => (await found("textbox")).type(text),
    touch: async (name) => {
      await (await found("button", name)).tap();
      await page.waitForSelector(selector("button", name), { hidden: true });
    },
    choose: (label, option) => page.select(`#${label.toLowerCase()}`, option),
    upload: async (_, name) => {
      const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("input[type=file]")]);
      await chooser.accept([fileNamed(name)]);
    },
    drag: async (name, to) => {
      const [card, column] = [await found("listitem", name), await found("region", to)];
      await card.drag(column);
      await column.drop(card);
    },
    popup: async (who) => {
      const link = await page.waitForSelector(`::-p-xpath(//tr[contains(., "${who}")]//a)`);
      const [target] = await Promise.all([browser.waitForTarget((one) => one.url().includes("details.html")), link.click()]);
      const opened = await target.page();
      const code = await (await opened.waitForSelector("dd b")).evaluate((element) => element.textContent);
      await opened.close();
      await (await found("textbox", "Release code")).type(code);
    },
    frame: async (label, text) => {
      const frame = await (await page.waitForSelector("iframe")).contentFrame();
      await (label ? (await found("textbox", label, frame)).type(text) : press("button", "", frame));
    },
  };
  for (const [what, ...values] of steps) await hands[what](...values);
  await browser.disconnect();
}

async function stagehand(steps) {
  const { Stagehand } = await load("@browserbasehq/stagehand");
  const own = new Stagehand({
    env: "LOCAL",
    localBrowserLaunchOptions: { cdpUrl: url },
    model: { modelName: "openai/gpt-4.1-mini", apiKey: "none", baseURL: endpoint },
    verbose: 0,
    disablePino: true,
  });
  await own.init();
  for (const [what, text] of steps) {
    const { success, message } = await own.act(what === "type" ? `type "${text}" into the textbox` : `click "${text}"`);
    if (!success) throw new Error(message);
  }
  await own.close();
}

async function stagehand4() {
  // It is a module alone, which no `require` finds.
  const { localBrowser } = await import(pathToFileURL(resolve(process.env.CDP_CLIENTS, "node_modules/stagehand-4/dist/index.mjs")));
  await localBrowser.connect({ cdpUrl: url });
}

const steps = planned();
if (steps) await { playwright, puppeteer, stagehand, "stagehand-4": stagehand4 }[who](steps);
else writeFileSync(answer, JSON.stringify({ infeasible: "nothing on the page does that" }));
process.exit(0);
