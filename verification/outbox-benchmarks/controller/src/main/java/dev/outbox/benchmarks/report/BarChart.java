package dev.outbox.benchmarks.report;

import java.util.List;
import java.util.Locale;

/** SVG image of horizontal bars, one panel below the other, for light and dark mode. */
final class BarChart {

    private static final int WIDTH = 820;
    private static final int LEFT = 260;
    private static final int RIGHT = 710;
    private static final int MARGIN = 16;
    private static final int BAR = 14;
    private static final int GAP = 8;
    private static final int MAX_TICKS = 5;
    private static final double[] ROUND = {1, 2, 2.5, 5, 10};

    /** The image has a background of its own, because the page around it may be dark while the system is not. */
    private static final String STYLE = """
            <style>
              text { font: 12px system-ui, sans-serif; fill: #24292f; }
              .title { font-weight: 600; }
              .axis { text-anchor: middle; fill: #57606a; }
              .name { text-anchor: end; }
              .back { fill: #ffffff; }
              .grid { stroke: #d0d7de; }
              .own { fill: #0969da; }
              .peer { fill: #8c959f; }
              .floor { fill: #d4a72c; }
              @media (prefers-color-scheme: dark) {
                text { fill: #e6edf3; }
                .axis { fill: #9198a1; }
                .back { fill: #0d1117; }
                .grid { stroke: #3d444d; }
                .own { fill: #4493f8; }
                .peer { fill: #7d8590; }
                .floor { fill: #bb8009; }
              }
            </style>
            """;

    private final StringBuilder body = new StringBuilder();
    private int bottom = MARGIN;

    /** Value with its label within the row. */
    record Bar(String label, double value) {}

    /** Bars of one entrant, in one of the colours {@code own}, {@code peer} and {@code floor}. */
    record Row(String name, String colour, List<Bar> bars) {

        int height() {
            return bars.size() * BAR + GAP;
        }
    }

    /** Axis from zero to the first tick that no value exceeds. */
    private record Scale(double step, int ticks) {

        static Scale of(List<Row> rows) {
            double largest = 0;
            for (Row row : rows) {
                for (Bar bar : row.bars()) {
                    largest = Math.max(largest, bar.value());
                }
            }
            if (largest == 0) {
                return new Scale(1, 1);
            }
            double power = Math.pow(10, Math.floor(Math.log10(largest / MAX_TICKS)));
            int factor = 0;
            while (factor < ROUND.length - 1 && ROUND[factor] * power * MAX_TICKS < largest) {
                factor++;
            }
            double step = ROUND[factor] * power;
            return new Scale(step, (int) Math.ceil(largest / step));
        }

        double x(double value) {
            return LEFT + value / (ticks * step) * (RIGHT - LEFT);
        }
    }

    void addPanel(String title, String unit, List<Row> rows) {
        Scale scale = Scale.of(rows);
        text("title", MARGIN, bottom + BAR, title);
        int top = bottom + BAR + 2 * GAP;
        bottom = top + rows.stream().mapToInt(Row::height).sum();
        addAxis(unit, scale, top - GAP);
        for (Row row : rows) {
            addRow(row, scale, top);
            top += row.height();
        }
        bottom += 4 * BAR;
    }

    private void addAxis(String unit, Scale scale, int top) {
        for (int tick = 0; tick <= scale.ticks(); tick++) {
            double value = tick * scale.step();
            double x = scale.x(value);
            line("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x, top, bottom);
            text("axis", x, bottom + BAR, Report.number(value));
        }
        text("axis", (LEFT + RIGHT) / 2.0, bottom + 2 * BAR, unit);
    }

    private void addRow(Row row, Scale scale, int top) {
        text("name", LEFT - GAP, top + (row.height() - GAP) / 2.0 + 3, row.name());
        int y = top;
        for (Bar bar : row.bars()) {
            double end = scale.x(bar.value());
            line(
                    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                    row.colour(), LEFT, y, end - LEFT, BAR - 2);
            text("value", end + 4, y + BAR - 4, (bar.label() + " " + Report.number(bar.value())).strip());
            y += BAR;
        }
    }

    private void text(String type, double x, double y, String content) {
        line("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>", type, x, y, escape(content));
    }

    private void line(String format, Object... values) {
        body.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    String svg(String title) {
        String size = String.format(
                Locale.ROOT, "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"", WIDTH, bottom, WIDTH, bottom);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " role=\"img\">\n<title>" + escape(title)
                + "</title>\n" + STYLE + "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n" + body + "</svg>\n";
    }

    private static String escape(String content) {
        return content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
