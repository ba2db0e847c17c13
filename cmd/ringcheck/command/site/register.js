// A browser without service workers, or one that stores nothing, needs a network for each visit.
navigator.serviceWorker?.register("offline.js").catch(() => {});
