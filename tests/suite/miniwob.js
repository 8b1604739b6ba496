var WOB_REWARD_GLOBAL = 0, WOB_RAW_REWARD_GLOBAL = 0, WOB_REWARD_REASON = null;
var WOB_DONE_GLOBAL = false, WOB_TASK_READY = true;
var core = { EPISODE_MAX_TIME: 400, timer: null };
Math.seedrandom = (seed) => {
  let s = Number(seed) % 2147483647;
  Math.random = () => (s = (s * 48271 + 11) % 2147483647) / 2147483647;
};
core.startEpisodeReal = () => {
  genProblem();
  WOB_DONE_GLOBAL = false;
  WOB_RAW_REWARD_GLOBAL = 0;
  document.getElementById('cover').style.display = 'none';
  core.timer = setTimeout(() => core.endEpisode(-1, 'timed out'), core.EPISODE_MAX_TIME);
};
core.endEpisode = (reward, reason) => {
  if (core.timer === null) return;
  clearTimeout(core.timer);
  core.timer = null;
  WOB_RAW_REWARD_GLOBAL = reward;
  WOB_REWARD_GLOBAL = reward / 2;
  WOB_REWARD_REASON = reason;
  WOB_DONE_GLOBAL = true;
  document.getElementById('cover').style.display = 'block';
};
core.getUtterance = () => document.getElementById('query').textContent;
