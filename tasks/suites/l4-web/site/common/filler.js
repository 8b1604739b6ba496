// Things that have nothing to do with any task: what a desk is full of anyway.

export const MAIL = [
  { from: "Canteen", at: "05-04 07:40", subject: "Menu of the week", text: ["Leek tart on Monday, lentils on Wednesday, and the Friday soup is a surprise."] },
  { from: "House service", at: "05-02 15:05", subject: "Windows are cleaned", text: ["Please clear the sills on the second floor by the end of the week."] },
  { from: "Tove Anker", at: "05-01 11:32", subject: "Umbrella found", text: ["A green one, by the stairs. It stands at the desk."] },
  { from: "Bike club", at: "04-29 18:20", subject: "Ride along the canal", text: ["We meet at the lock, whatever the weather."] },
];

export const WIKI = [
  { title: "Printers", edited: "March 2026", text: ["Each floor has one. Paper is in the cupboard beneath it."] },
  { title: "First day", edited: "January 2026", text: ["Fetch your badge at the desk, then come to the kitchen for coffee."] },
  { title: "Fire drill", edited: "April 2026", text: ["Leave by the nearest stairs and gather at the oak."] },
];

export const SHOP = [
  { name: "Pencil box", sku: "P-110", price: "4.20", stock: "212", text: "Tin, for twelve pencils." },
  { name: "Wall clock", sku: "W-331", price: "27.00", stock: "8", text: "Silent, with large figures." },
  { name: "Door mat", sku: "D-072", price: "18.50", stock: "31", text: "Coir, 60 by 90 cm." },
];

export const CHAT = { kitchen: [{ who: "Tove", text: "Who took the blue mug?" }, { who: "Bram", text: "It is in the dishwasher." }] };

export const MAP = [
  { name: "Lock Cafe", kind: "cafe", facts: { Address: "Canal Walk 2", Open: "08:00 to 17:00" } },
  { name: "Old Mill", kind: "sight", facts: { Address: "Mill Lane 9", Open: "10:00 to 16:00" } },
];

export const TICKETS = [
  { id: "T-11", title: "Tap drips in the kitchen", status: "Open", priority: "Low", assignee: "Nobody", place: "Kitchen", text: ["It drips all night."] },
  { id: "T-12", title: "Blind stuck in room 2", status: "Closed", priority: "Low", assignee: "Bram Oldacre", place: "Room 2", text: ["It is down and stays down."] },
];
