// The service worker of the page: after the first visit, the page works without a network. Files come from the network
// if there is one, so the page is never old for longer than that.
const cacheName = "ringcheck";
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

async function fill() {
  const cache = await caches.open(cacheName), response = await fetch("files.json");
  await cache.addAll((await response.json()).map(name => new Request(name, { cache: "no-cache" })));
  await worker.skipWaiting();
}

async function answer(request) {
  const cache = await caches.open(cacheName);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const known = await cache.match(request, { ignoreSearch: true });
    if (known) return known;
    throw error;
  }
}

worker.addEventListener("install", event => event.waitUntil(fill()));
worker.addEventListener("activate", event => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", event => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});
