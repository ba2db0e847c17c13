// The editor, whose own types are not part of the page.
declare const editor: any;
export = editor;
