package dev.outbox.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ChartsTest {

    /** The directory of the published charts; {@code mvn -q -Pbenchmark -Dbenchmark.charts=docs/performance/results.json} redraws them. */
    private static final Path PUBLISHED = Path.of("../../../docs/performance");

    private static final String SAMPLE = """
            {
              "machine": {"processors": "2"},
              "runs": [
                %s,
                %s,
                %s,
                %s,
                %s,
                %s
              ]
            }
            """.formatted(
                    run("drain", "outbox", "tuned", "\"events/s\": 40000"),
                    run("drain", "outbox", "tuned", "\"events/s\": 60000"),
                    run("drain", "a < b & c", "defaults", "\"events/s\": 12345"),
                    run("drain", "floor", "floor", "\"events/s\": 160000"),
                    run(
                            "publish",
                            "outbox",
                            "tuned",
                            "\"transactions/s\": 6253, \"server CPU µs/event\": 194, \"worker CPU µs/event\": 88"),
                    run(
                            "latency",
                            "namastack",
                            "tuned",
                            "\"commit to handler p50 ms\": 3.65, \"commit to handler p99 ms\": 11.9"));

    @TempDir
    private Path directory;

    @Test
    void chartsShowEveryContestantAndFigure() throws Exception {
        Files.writeString(directory.resolve("results.json"), SAMPLE);

        Charts.draw(directory.resolve("results.json"));

        assertThat(texts("drain", "title")).containsExactly("drain, keys 10");
        assertThat(texts("drain", "name")).containsExactly("outbox (tuned)", "a < b & c (defaults)", "floor");
        assertThat(texts("drain", "value")).containsExactly("50,000", "12,345", "160,000");
        assertThat(texts("drain", "unit")).containsExactly("events/s (more is better)");
        assertThat(texts("publish", "value")).containsExactly("6,253", "server 194", "worker 88");
        assertThat(texts("publish", "unit"))
                .containsExactly("transactions/s (more is better)", "CPU µs per event (less is better)");
        assertThat(texts("latency", "name")).containsExactly("namastack (tuned)");
        assertThat(texts("latency", "value")).containsExactly("p50 3.65", "p99 11.9");
    }

    @Test
    void barsAreProportionalToTheirValues() throws Exception {
        Files.writeString(directory.resolve("results.json"), SAMPLE);

        Charts.draw(directory.resolve("results.json"));

        double own = width(elements("drain", "rect", "own").get(0));
        double floor = width(elements("drain", "rect", "floor").get(0));
        assertThat(own / floor).isBetween(0.312, 0.313);
    }

    @Test
    void publishedChartsShowThePublishedResults() throws Exception {
        Files.copy(PUBLISHED.resolve("results.json"), directory.resolve("results.json"));

        Charts.draw(directory.resolve("results.json"));

        for (String name : List.of("drain.svg", "publish.svg", "latency.svg")) {
            assertThat(PUBLISHED.resolve(name)).hasSameTextualContentAs(directory.resolve(name));
        }
    }

    private List<String> texts(String chart, String type) throws Exception {
        return elements(chart, "text", type).stream()
                .map(Element::getTextContent)
                .toList();
    }

    private List<Element> elements(String chart, String tag, String type) throws Exception {
        Document svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(directory.resolve(chart + ".svg").toFile());
        NodeList all = svg.getElementsByTagName(tag);
        return IntStream.range(0, all.getLength())
                .mapToObj((index) -> (Element) all.item(index))
                .filter((element) -> element.getAttribute("class").equals(type))
                .toList();
    }

    private static double width(Element bar) {
        return Double.parseDouble(bar.getAttribute("width"));
    }

    private static String run(String workload, String contestant, String variant, String figures) {
        return """
                {
                  "round": 1, "workload": "%s", "parameters": {"keys": "10"}, "contestant": "%s", "variant": "%s",
                  "version": "1", "settings": {}, "figures": {%s}, "failure": ""
                }""".formatted(workload, contestant, variant, figures);
    }
}
