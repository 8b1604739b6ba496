// Midscene: the context that its agent for Playwright takes before it asks a model. No model is asked.
import { CHROMIUM, HEIGHT, WIDTH, load, serve, version } from "./line.mjs";

// It wants to know a model before it takes a picture; this one is never called.
Object.assign(process.env, {
  MIDSCENE_MODEL_NAME: "none", MIDSCENE_MODEL_API_KEY: "none", MIDSCENE_MODEL_BASE_URL: "http://127.0.0.1:9/v1", MIDSCENE_MODEL_FAMILY: "qwen3-vl",
});

await serve(async () => {
  const { chromium } = await load("@playwright/test");
  const { PlaywrightAgent } = await load("@midscene/web/playwright");
  const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
  const agent = new PlaywrightAgent(page, { generateReport: false, autoPrintReportMsg: false });
  return {
    ready: version("@midscene/web"),
    own: true,
    open: (url) => page.goto(url),
    async observe() {
      const context = await agent.getUIContext("locate");
      const picture = context.screenshot?.base64 ?? context.screenshotBase64;
      if (!picture) throw new Error(`no picture in ${Object.keys(context)}`);
      const tree = context.tree ? JSON.stringify(context.tree) : "";
      return { text: tree, picture: Buffer.from(picture.replace(/^data:[^,]*,/, ""), "base64") };
    },
    close: () => browser.close(),
  };
});
