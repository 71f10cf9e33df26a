package dev.outbox.sample.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.web.SecurityFilterChain;

/** What the log says about a service without a login. EndpointTest shows that it is open. */
@ExtendWith(OutputCaptureExtension.class)
class OpenOperationsTest {

    private static final String WARNING = "Operations are open to every client that reaches the port";

    private final WebApplicationContextRunner service = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SecurityAutoConfiguration.class,
                    ServletWebSecurityAutoConfiguration.class,
                    UserDetailsServiceAutoConfiguration.class))
            .withUserConfiguration(Login.class, Settings.class);

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(LoginSettings.class)
    static class Settings {}

    @Test
    void openOperationsAreReportedOnce(CapturedOutput output) {
        service.run((context) -> assertThat(context).hasSingleBean(SecurityFilterChain.class));

        assertThat(output.getOut().lines().filter((line) -> line.contains(WARNING)))
                .singleElement()
                .asString()
                .contains("WARN");
        assertThat(output.getOut()).doesNotContain("generated security password");
    }

    @Test
    void neitherLoginNorWorkerIsReported(CapturedOutput output) {
        service.withPropertyValues("sample.security.password=secret")
                .run((context) -> assertThat(context).hasSingleBean(SecurityFilterChain.class));
        service.withPropertyValues("spring.profiles.active=worker")
                .run((context) -> assertThat(context).hasSingleBean(SecurityFilterChain.class));

        assertThat(output.getOut()).doesNotContain(WARNING).doesNotContain("generated security password");
    }

    @Test
    void blankPasswordStopsTheStart() {
        service.withPropertyValues("sample.security.password=")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("sample.security.password must not be blank"));
    }
}
