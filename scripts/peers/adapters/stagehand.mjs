// Stagehand: the tree of the page that it makes for models, and its picture. No model is asked, none is named.
import { CHROMIUM, HEIGHT, WIDTH, load, serve, version } from "./line.mjs";

await serve(async () => {
  const { localBrowser, Stagehand } = await load("@browserbasehq/stagehand", "dist/index.mjs");
  const browser = await localBrowser.launch({
    executablePath: CHROMIUM, headless: true, chromiumSandbox: false, viewport: { width: WIDTH, height: HEIGHT }, args: ["--no-sandbox"],
  });
  const stagehand = await Stagehand.create({ browser });
  const [page] = await browser.context.pages();
  // The window that it starts is lower than what was asked for by the bars of a browser.
  await page.setViewportSize(WIDTH, HEIGHT);
  return {
    ready: version("@browserbasehq/stagehand"),
    own: true,
    open: (url) => page.goto(url),
    async observe(what) {
      const seen = await page.snapshot({ timeout: 60_000 });
      const text = seen.formattedTree;
      if (!text) throw new Error(`no tree in ${Object.keys(seen)}`);
      return { text, picture: what === "whole" ? Buffer.from(await page.screenshot()) : null };
    },
    close: async () => {
      await stagehand.close?.();
      await browser.close();
    },
  };
});
