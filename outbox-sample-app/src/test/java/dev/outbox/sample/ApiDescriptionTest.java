package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The API as it describes itself. */
@SampleTest
class ApiDescriptionTest {

    private static final Pattern PATH_VARIABLE = Pattern.compile("\\{(\\w+)}");

    @LocalServerPort
    private int port;

    @Autowired
    private RequestMappingHandlerMapping requestMappingHandlerMapping;

    @Autowired
    private JsonMapper json;

    private JsonNode description;

    @BeforeEach
    void read() {
        description = json.readTree(new Api(port).get("/v3/api-docs").getBody());
    }

    @Test
    void everyOperationOfEveryControllerIsDescribed() {
        Set<String> served = requestMappingHandlerMapping.getHandlerMethods().entrySet().stream()
                .filter((mapping) ->
                        mapping.getValue().getBeanType().getPackageName().startsWith("dev.outbox.sample"))
                .map(Map.Entry::getKey)
                .flatMap((mapping) -> mapping.getMethodsCondition().getMethods().stream()
                        .flatMap((method) -> mapping.getPatternValues().stream().map((path) -> method + " " + path)))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(served).hasSizeGreaterThan(50);
        Set<String> described = operations().map(Operation::name).collect(Collectors.toCollection(TreeSet::new));
        assertThat(described).isEqualTo(served);
    }

    @Test
    void documentIsWhatOpenApiRequires() {
        assertThat(description.path("openapi").asString()).startsWith("3.1.");
        assertThat(description.path("info").path("title").asString()).isEqualTo("Outbox sample");
        assertThat(description.path("info").path("version").asString()).isNotBlank();
        assertThat(operations()
                        .map((operation) -> operation.node().path("operationId").asString()))
                .doesNotContain("")
                .doesNotHaveDuplicates();
        assertThat(operations()).allSatisfy((operation) -> {
            assertThat(operation.node().path("responses").properties())
                    .isNotEmpty()
                    .allSatisfy((response) -> {
                        assertThat(response.getKey()).matches("[1-5]\\d\\d|default");
                        assertThat(response.getValue().path("description").asString())
                                .isNotEmpty();
                    });
            assertThat(parametersIn("path", operation)).isEqualTo(variablesOf(operation.path()));
        });
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        List<String> references = description.findValuesAsString("$ref");

        assertThat(references).isNotEmpty().allSatisfy((reference) -> {
            assertThat(reference).startsWith("#/");
            assertThat(description.at(reference.substring(1)).isMissingNode()).isFalse();
        });
    }

    @Test
    void descriptionCanBeReadInABrowser() {
        assertThat(new Api(port).get("/swagger-ui/index.html").getBody()).contains("Swagger UI");
    }

    private Stream<Operation> operations() {
        return description.path("paths").properties().stream()
                .flatMap((path) -> path.getValue().properties().stream()
                        .map((method) -> new Operation(method.getKey(), path.getKey(), method.getValue())));
    }

    private static Set<String> parametersIn(String place, Operation operation) {
        return operation
                .node()
                .path("parameters")
                .valueStream()
                .filter((parameter) -> parameter.path("in").asString().equals(place))
                .map((parameter) -> parameter.path("name").asString())
                .collect(Collectors.toSet());
    }

    private static Set<String> variablesOf(String path) {
        return PATH_VARIABLE
                .matcher(path)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toSet());
    }

    private record Operation(String method, String path, JsonNode node) {

        String name() {
            return method.toUpperCase(Locale.ROOT) + " " + path;
        }
    }
}
