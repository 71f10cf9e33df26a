package dev.outbox.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ChartsTest {

    /** The directory of the published charts; {@code mvn -q -Pbenchmark -Dbenchmark.charts=docs/performance/results.json} redraws them. */
    private static final Path PUBLISHED = Path.of("../../../docs/performance");

    @TempDir
    private Path directory;

    @BeforeEach
    void drawPublishedResults() throws Exception {
        Files.copy(PUBLISHED.resolve("results.json"), directory.resolve("results.json"));
        Charts.draw(directory.resolve("results.json"));
    }

    @Test
    void publishedChartsShowThePublishedResults() {
        for (String name : List.of("drain.svg", "publish.svg", "latency.svg")) {
            assertThat(PUBLISHED.resolve(name)).hasSameTextualContentAs(directory.resolve(name));
        }
    }

    @Test
    void chartsShowEveryContestantAndFigure() throws Exception {
        assertThat(texts("drain", "title"))
                .hasSize(2)
                .first()
                .asString()
                .startsWith("drain, events 100000, keys 10000")
                .endsWith("warmup 0 events");
        assertThat(texts("drain", "name")).startsWith("outbox (tuned)").endsWith("floor");
        assertThat(texts("drain", "value")).startsWith("55,086", "34,830", "12,744");
        assertThat(texts("drain", "unit")).containsOnly("events/s (more is better)");
        assertThat(texts("publish", "value")).contains("6,137", "server 194", "worker 89");
        assertThat(texts("publish", "unit"))
                .containsExactly("transactions/s (more is better)", "CPU µs per event (less is better)");
        assertThat(texts("latency", "value")).startsWith("p50 0.42", "p95 0.65", "p99 2.69");
    }

    @Test
    void barsAreProportionalToTheirValues() throws Exception {
        double own = width(elements("drain", "rect", "own").get(0));
        double floor = width(elements("drain", "rect", "floor").get(0));

        assertThat(own / floor).isCloseTo(55_086 / 159_877.0, within(0.001));
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
}
