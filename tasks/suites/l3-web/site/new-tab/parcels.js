// The parcels of this episode: the list and the details page must agree, so
// both derive them from the parameters alone.

/** Parcels as `{ id, who, code, size, shelf }`; the codes differ. */
export function parcels(w) {
  const { people, number, code } = w.params;
  return people.map((who, i) => ({
    who,
    id: `PY-${number + i * 17}`,
    code: String(100000 + ((code - 100000 + i * 137911) % 900000)),
    size: ["Small box", "Large box", "Envelope", "Tube"][(number + i) % 4],
    shelf: `${"ABCDE"[i % 5]}${1 + ((number + i * 3) % 8)}`,
  }));
}
