// Stagehand: the tree of the page that its agent reads (extract() without an instruction asks no model), and its picture.
import { CHROMIUM, HEIGHT, WIDTH, load, serve, version } from "./line.mjs";

await serve(async () => {
  const { Stagehand } = await load("@browserbasehq/stagehand");
  const stagehand = new Stagehand({
    env: "LOCAL", verbose: 0, disablePino: true, model: { modelName: "openai/none", apiKey: "none" },
    localBrowserLaunchOptions: {
      executablePath: CHROMIUM, headless: true, viewport: { width: WIDTH, height: HEIGHT }, args: ["--no-sandbox"], chromiumSandbox: false,
    },
  });
  await stagehand.init();
  const page = stagehand.context.pages()[0];
  return {
    ready: version("@browserbasehq/stagehand"),
    own: true,
    open: (url) => page.goto(url),
    async observe(what) {
      const { pageText } = await stagehand.extract();
      return { text: pageText, picture: what === "whole" ? await page.screenshot() : null };
    },
    close: () => stagehand.close(),
  };
});
