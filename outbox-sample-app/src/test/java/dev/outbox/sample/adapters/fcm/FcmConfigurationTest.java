package dev.outbox.sample.adapters.fcm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.push.PushGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.json.JsonMapper;

class FcmConfigurationTest {

    @RegisterExtension
    private static final FakeFcm fcm = new FakeFcm();

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withBean(JsonMapper.class, JsonMapper::new)
            .withUserConfiguration(FcmConfiguration.class);

    @Test
    void keyFileIsEnough(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("key.json"), fcm.keyFile().getContentAsByteArray());

        service.withPropertyValues("push.gateway=fcm", "push.fcm.service-account=file:" + file)
                .run((context) -> assertThat(context).hasSingleBean(PushGateway.class));
    }

    @Test
    void missingKeyFileIsRefusedAtStart() {
        service.withPropertyValues("push.gateway=fcm")
                .run((context) -> assertThat(context.getStartupFailure())
                        .hasRootCauseMessage(
                                "push.fcm.service-account must name the readable key file of a service account: null"));
        service.withPropertyValues("push.gateway=fcm", "push.fcm.service-account=file:/absent.json")
                .run((context) -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("push.fcm.service-account must name")
                        .hasMessageContaining("/absent.json"));
    }

    @Test
    void anotherGatewayNeedsNoKey() {
        service.withPropertyValues("push.gateway=simulated")
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PushGateway.class));
    }
}
