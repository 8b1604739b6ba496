// What IndexedDB of this origin holds: {"DATABASE/OBJECT STORE": {KEY: value}}, keys as JSON. Null beyond `limit` characters.
(async (limit) => {
  const asked = (request) => new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
  // What JSON has no form for says of which kind it is, and what it holds where that is a list.
  const plain = (key, value) => {
    if (value instanceof Map || value instanceof Set) return [...value];
    if (value instanceof Blob) return { type: value.type, size: value.size };
    if (value instanceof ArrayBuffer) return [...new Uint8Array(value)];
    if (ArrayBuffer.isView(value)) return [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
    return typeof value === 'bigint' ? String(value) : value;
  };
  const found = {};
  for (const { name } of await indexedDB.databases()) {
    const database = await asked(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const held = database.transaction(store).objectStore(store);
        const [keys, values] = await Promise.all([asked(held.getAllKeys()), asked(held.getAll())]);
        const rows = found[`${name}/${store}`] = {};
        keys.forEach((key, at) => { rows[JSON.stringify(key, plain)] = values[at] ?? null; });
      }
    } finally {
      database.close();
    }
  }
  const text = JSON.stringify(found, plain);
  return text.length > limit ? null : text;
})
