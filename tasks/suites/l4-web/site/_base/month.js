// Months as plain numbers, with no time zone in it: a month is { year, month }
// with month 0 to 11, a day is an ISO string such as "2026-04-09".

export const MONTHS = ["January", "February", "March", "April", "May", "June", "July",
  "August", "September", "October", "November", "December"];

/** Short names, Monday first. */
export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const two = (n) => String(n).padStart(2, "0");

/** "2026-04-09" of a month and its day. */
export const iso = ({ year, month }, day) => `${year}-${two(month + 1)}-${two(day)}`;

/** The month `by` months away. */
export function shift({ year, month }, by) {
  const n = year * 12 + month + by;
  return { year: Math.floor(n / 12), month: n % 12 };
}

/** "April 2026". */
export const monthTitle = ({ year, month }) => `${MONTHS[month]} ${year}`;

/** "9 April 2026" of an ISO day. */
export function longDay(day) {
  const [year, month, date] = day.split("-").map(Number);
  return `${date} ${MONTHS[month - 1]} ${year}`;
}

/** The month an ISO day lies in. */
export function monthOf(day) {
  const [year, month] = day.split("-").map(Number);
  return { year, month: month - 1 };
}

/** How many days the month has, and how many cells stand empty before its first (weeks start on Monday). */
export function shape({ year, month }) {
  return {
    days: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
    lead: (new Date(Date.UTC(year, month, 1)).getUTCDay() + 6) % 7,
  };
}
