import { render } from "preact";

const place = document.getElementById("page");
if (place !== null) render(<h1>Salvor</h1>, place);
