// The page of a run is one script: page.js follows the shared modules.
declare const byId: typeof import("../explorer/dom.js").byId;
declare const h: typeof import("../explorer/dom.js").h;
declare const s: typeof import("../explorer/dom.js").s;
declare const Network: typeof import("../explorer/network.js").Network;
