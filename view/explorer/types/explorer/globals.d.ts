// The layout of graphs, vendor/dagre.min.js, is a script of its own.
declare const dagre: any;
