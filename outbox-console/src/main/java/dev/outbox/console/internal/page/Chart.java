package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Format;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A figure of busy streams over the last 10 minutes, as a picture and as a table.
 *
 * @param id the id of the picture
 * @param title the name of the figure
 * @param unit what the figure counts
 * @param lines the line of each stream
 * @param values the ticks of the vertical axis, from 0
 * @param times the ticks of the horizontal axis, which is linear
 * @param minutes the highest figures of each minute, the latest first
 */
record Chart(
        String id,
        String title,
        String unit,
        List<Line> lines,
        List<Tick> values,
        List<Tick> times,
        List<Minute> minutes) {

    /** A unit of the picture is a second. */
    private static final int WIDTH = 600;

    private static final int HEIGHT = 150;
    private static final int MOST_STEPS = 5;
    private static final long TICK_MILLIS = 120_000;
    private static final long MINUTE_MILLIS = 60_000;

    /** A longer time without a figure is a gap in the line. */
    private static final long GAP_MILLIS = 25_000;

    private static final double[] STEPS_OF_TIME = {
        1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 604_800, 2_592_000
    };

    /**
     * Line of one stream.
     *
     * @param color a color that stays with the stream, for light and dark pages
     * @param path the commands of an SVG path
     */
    record Line(String stream, String color, String path, String now, String highest) {}

    /**
     * Label of an axis.
     *
     * @param at the place, in pixels from the top or in percent of the width
     */
    record Tick(double at, String label) {}

    /** Figures of a minute, one for each line. */
    record Minute(String time, List<String> highest) {}

    static List<Chart> of(Samples samples) {
        String rate = "completed events per second, mean of the last minute";
        String age = "age of the oldest open event";
        return List.of(
                of("throughput", "Throughput", rate, samples, samples.throughput(), Chart::stepOfRate, Format::rate),
                of("lag", "Lag", age, samples, samples.lag(), Chart::stepOfTime, Chart::time));
    }

    private static Chart of(
            String id,
            String title,
            String unit,
            Samples samples,
            Map<String, List<@Nullable Double>> figures,
            DoubleUnaryOperator stepOf,
            DoubleFunction<String> text) {
        double longest = 1;
        for (List<@Nullable Double> line : figures.values()) {
            Double highest = highest(line);
            longest = highest == null ? longest : Math.max(longest, highest);
        }
        double step = stepOf.applyAsDouble(longest);
        int steps = (int) Math.ceil(longest / step);
        return new Chart(
                id,
                title,
                unit,
                figures.entrySet().stream()
                        .map((line) -> new Line(
                                line.getKey(),
                                color(samples.colors().indexOf(line.getKey())),
                                path(samples.at(), line.getValue(), step * steps),
                                text(line.getValue().get(line.getValue().size() - 1), text),
                                text(highest(line.getValue()), text)))
                        .toList(),
                IntStream.rangeClosed(0, steps)
                        .mapToObj((i) -> new Tick(
                                HEIGHT - (double) HEIGHT * i / steps,
                                i == 0 ? "0" : text.apply(i * step).replaceAll("\\.0$", "")))
                        .toList(),
                times(samples.at()),
                minutes(samples.at(), figures.values(), text));
    }

    /** The picture as a sentence. */
    public String text() {
        return title + " of the last 10 minutes, " + unit + ". "
                + (lines.isEmpty()
                        ? "No stream was busy."
                        : lines.stream()
                                .map((line) -> line.stream + ": now " + line.now + ", highest " + line.highest)
                                .collect(Collectors.joining("; ", "", ".")));
    }

    private static String path(List<Long> at, List<@Nullable Double> line, double top) {
        StringBuilder path = new StringBuilder();
        long last = Long.MIN_VALUE / 2;
        for (int i = 0; i < line.size(); i++) {
            Double value = line.get(i);
            if (value == null) {
                continue;
            }
            boolean continued = at.get(i) - last <= GAP_MILLIS;
            // A line of no length makes a lone figure a point.
            path.append(continued ? "L" : "M")
                    .append(Math.round(WIDTH - (at.get(at.size() - 1) - at.get(i)) / 1000.0))
                    .append(',')
                    .append(Math.round(HEIGHT - HEIGHT * value / top))
                    .append(continued ? "" : "h0");
            last = at.get(i);
        }
        return path.toString();
    }

    private static List<Tick> times(List<Long> at) {
        long end = at.get(at.size() - 1);
        long start = end - WIDTH * 1000L;
        return LongStream.rangeClosed(start / TICK_MILLIS + 1, end / TICK_MILLIS)
                .map((tick) -> tick * TICK_MILLIS)
                .mapToObj((time) -> new Tick((time - start) / (WIDTH * 10.0), clock(time)))
                .toList();
    }

    private static List<Minute> minutes(
            List<Long> at, Collection<List<@Nullable Double>> lines, DoubleFunction<String> text) {
        List<Minute> minutes = new ArrayList<>();
        int end = at.size();
        while (end > 0) {
            long minute = at.get(end - 1) / MINUTE_MILLIS;
            int start = end - 1;
            while (start > 0 && at.get(start - 1) / MINUTE_MILLIS == minute) {
                start--;
            }
            List<String> highest = new ArrayList<>();
            for (List<@Nullable Double> line : lines) {
                highest.add(text(highest(line.subList(start, end)), text));
            }
            minutes.add(new Minute(clock(minute * MINUTE_MILLIS), highest));
            end = start;
        }
        return minutes;
    }

    private static @Nullable Double highest(List<@Nullable Double> figures) {
        Double highest = null;
        for (Double figure : figures) {
            if (figure != null && (highest == null || figure > highest)) {
                highest = figure;
            }
        }
        return highest;
    }

    private static String text(@Nullable Double value, DoubleFunction<String> text) {
        return value == null ? "–" : text.apply(value);
    }

    private static String time(double seconds) {
        return Format.duration(Duration.ofMillis(Math.round(1000 * seconds)));
    }

    private static String clock(long millis) {
        return Instant.ofEpochMilli(millis).toString().substring(11, 16) + "Z";
    }

    private static double stepOfTime(double longest) {
        double month = STEPS_OF_TIME[STEPS_OF_TIME.length - 1];
        return DoubleStream.of(STEPS_OF_TIME)
                .filter((step) -> longest <= MOST_STEPS * step)
                .findFirst()
                .orElse(month * Math.ceil(longest / MOST_STEPS / month));
    }

    private static double stepOfRate(double longest) {
        double power = Math.pow(10, Math.floor(Math.log10(longest / MOST_STEPS)));
        return DoubleStream.of(power, 2 * power, 5 * power)
                .filter((step) -> longest <= MOST_STEPS * step)
                .findFirst()
                .orElse(10 * power);
    }

    /** The golden angle keeps the hues of any number of streams apart. */
    private static String color(int index) {
        return "hsl(" + Math.round(230 + index * 137.508) % 360 + " 65% var(--line))";
    }
}
