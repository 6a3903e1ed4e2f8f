// A page to try, drawn here: letters of several sizes, a table, a slanted stamp and a faint line.

const SERIF = 'Georgia, "Iowan Old Style", "Palatino Linotype", "DejaVu Serif", serif';
const SANS = 'system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif';

/** Draws the sample on a canvas of 760 x 960 pixels. */
export function drawSample(canvas) {
  const paper = canvas.getContext("2d");
  paper.fillStyle = "#fffdf8";
  paper.fillRect(0, 0, canvas.width, canvas.height);
  const write = (text, x, y, font, ink = "#24221e", align = "left") => {
    paper.font = font;
    paper.fillStyle = ink;
    paper.textAlign = align;
    paper.fillText(text, x, y);
  };
  const rule = (y) => {
    paper.fillStyle = "#b9b2a3";
    paper.fillRect(80, y, 600, 1.5);
  };
  write("HARBOURTOWN MAP ARCHIVE", 80, 112, `600 24px ${SANS}`, "#5a554b");
  write("Reading room slip", 80, 186, `italic 54px ${SERIF}`);
  rule(222);
  [
    "Sheet 42 of the coastal survey arrived on",
    "2 April, dry and complete. A note in pencil",
    "says: checked against the survey of 1887.",
  ].forEach((text, row) => write(text, 80, 282 + row * 44, `28px ${SERIF}`));
  rule(412);
  [
    ["Shelf", "B-17"],
    ["Scale", "1 : 25 000"],
    ["Sheets", "3"],
    ["Copies", "12.50"],
  ].forEach(([name, value], row) => {
    write(name, 80, 470 + row * 48, `26px ${SANS}`, "#5a554b");
    write(value, 680, 470 + row * 48, `600 26px ${SANS}`, "#24221e", "right");
  });
  rule(652);
  paper.save();
  paper.translate(440, 738);
  paper.rotate(-0.07);
  paper.strokeStyle = "#b3392f";
  paper.lineWidth = 4;
  paper.strokeRect(-236, -50, 472, 84);
  write("RETURNED 9 APR", 0, 6, `700 38px ${SANS}`, "#b3392f", "center");
  paper.restore();
  faint(paper, "checked J. Lindqvist, table 4", 80, 832);
  write("Please use pencils only, and turn the sheets with dry hands.", 80, 896, `19px ${SANS}`, "#c9c3b6");
}

/** Pencil that is hardly there: drawn small, then enlarged. */
function faint(paper, text, x, y) {
  const small = document.createElement("canvas");
  Object.assign(small, { width: 110, height: 7 });
  const pencil = small.getContext("2d");
  pencil.font = `italic 5px ${SERIF}`;
  pencil.fillStyle = "#9a948a";
  pencil.fillText(text, 0, 5);
  paper.drawImage(small, x, y - 30, 616, 39);
}

/** The sample as a file, as if it had been chosen. */
export function sampleFile(canvas) {
  return new Promise((resolve) => {
    canvas.toBlob((blob) => resolve(new File([blob], "sample.png", { type: "image/png" })), "image/png");
  });
}
