// The extension starts `ringcheck lsp` and leaves everything to it.
import { commands, ExtensionContext, window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

async function start(): Promise<void> {
  const path = workspace.getConfiguration("ringcheck").get<string>("path") || "ringcheck";
  const server = { command: path, args: ["lsp"] };
  client = new LanguageClient("ringcheck", "ringcheck", server, {
    documentSelector: [{ language: "ring" }],
    synchronize: {},
  });
  try {
    await client.start();
  } catch (err) {
    window.showErrorMessage(
      `${path} lsp cannot be started (${err}). Install ringcheck, or say in the setting ringcheck.path where it is.`,
    );
  }
}

async function stop(): Promise<void> {
  await client?.stop().catch(() => undefined);
  client = undefined;
}

export async function activate(context: ExtensionContext): Promise<void> {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    commands.registerCommand("ringcheck.restart", restart),
    workspace.onDidChangeConfiguration((e) => (e.affectsConfiguration("ringcheck") ? restart() : undefined)),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}
