// The formats of the service: name, ending, what to call it.  `single`: a file holds one page.

export const FORMATS = [
  { name: "text", suffix: ".txt", label: "Plain text" },
  { name: "layout", suffix: ".layout.txt", label: "Text with its columns" },
  { name: "markdown", suffix: ".md", label: "Markdown" },
  { name: "pdf", suffix: ".pdf", label: "Searchable PDF" },
  { name: "json", suffix: ".json", label: "JSON" },
  { name: "jsonl", suffix: ".jsonl", label: "JSON Lines" },
  { name: "csv", suffix: ".csv", label: "CSV" },
  { name: "tsv", suffix: ".tsv", label: "TSV of words" },
  { name: "hocr", suffix: ".hocr", label: "hOCR" },
  { name: "alto", suffix: ".alto.xml", label: "ALTO XML" },
  { name: "page-xml", suffix: ".page.xml", label: "PAGE XML", single: true },
  { name: "coco", suffix: ".coco.json", label: "COCO" },
  { name: "picture", suffix: ".png", label: "Picture with boxes", single: true },
];
