// What the reports use of Observable Plot.
export { axisX, axisY, barX, dot, gridX, gridY, line, plot, pointer, text, tip } from "@observablehq/plot";
