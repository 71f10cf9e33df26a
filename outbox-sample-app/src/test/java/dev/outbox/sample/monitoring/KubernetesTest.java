package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.testing.SourceTree;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.HttpStatus;

/** The manifests of the documentation, against the service and Spring Boot. */
@SampleTest
class KubernetesTest {

    private static final Pattern YAML = Pattern.compile("^```yaml\\R(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private final List<Properties> manifests = YAML.matcher(
                    SourceTree.read(SourceTree.ROOT.resolve("docs/kubernetes.md")))
            .results()
            .map((block) -> properties(block.group(1)))
            .toList();

    @Autowired
    private Api api;

    @Test
    void serviceAnswersProbesAndScaler() {
        Properties service = manifests.get(0);

        assertThat(service.stringPropertyNames())
                .filteredOn((name) -> name.endsWith("httpGet.path"))
                .hasSize(3)
                .allSatisfy(
                        (name) -> assertThat(api.get(service.getProperty(name)).getStatusCode())
                                .isEqualTo(HttpStatus.OK));
        Labels.check(
                service.getProperty("spec.triggers[0].metadata.query"),
                Scrapes.labels(api.get("/actuator/prometheus").getBody()),
                Set.of());
    }

    @Test
    void consumersOfAStatefulSetGetItsNames() {
        Properties set = manifests.get(1);
        SystemEnvironmentPropertySource environment = new SystemEnvironmentPropertySource(
                "systemEnvironment",
                Map.of(set.getProperty("env[0].name"), "shop-0", set.getProperty("env[1].name"), "90000"));

        assertThat(new Binder(ConfigurationPropertySource.from(environment))
                        .bind("spring.kafka.consumer.properties", Bindable.mapOf(String.class, String.class))
                        .get())
                .containsOnlyKeys("group.instance.id", "session.timeout.ms");
    }

    /** Merges the documents of a block. */
    private static Properties properties(String block) {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ByteArrayResource(block.getBytes(StandardCharsets.UTF_8)));
        return Objects.requireNonNull(yaml.getObject());
    }
}
