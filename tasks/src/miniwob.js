(async () => {
  if (typeof core === 'undefined' || !core.startEpisodeReal) throw new Error('the page has no MiniWoB core');
  if (!Math.seedrandom) throw new Error('the page has no Math.seedrandom to seed it with');
  const style = document.createElement('style');
  style.textContent = '#reward-display, #episodes-display, #click-canvas { display: none !important; }';
  document.head.appendChild(style);
  const limit = LIMIT;
  if (limit) core.EPISODE_MAX_TIME = limit;
  Math.seedrandom(SEED);
  core.startEpisodeReal();
  core.startEpisodeReal = () => {};
  Object.defineProperty(window, '__waldoEpisode', { value: true });
  const until = Date.now() + 8000;
  while (window.WOB_TASK_READY === false) {
    if (Date.now() > until) throw new Error('the task was not ready after 8 s');
    await new Promise((next) => requestAnimationFrame(next));
  }
  const said = core.getUtterance();
  return (typeof said === 'string' ? said : String(said && said.utterance || '')).trim();
})()
