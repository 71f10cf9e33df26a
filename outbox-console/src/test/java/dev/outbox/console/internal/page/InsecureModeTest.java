package dev.outbox.console.internal.page;

import static dev.outbox.console.internal.page.PageFixture.EVENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** Who acts in insecure mode, with and without a signed-in user. */
class InsecureModeTest {

    private final TestConsole console = TestConsole.insecure();
    private final OutboxInspector inspector = console.inspector;
    private final OutboxOperations operations = console.operations;

    @BeforeEach
    void fill() {
        when(inspector.findEvent(EVENT)).thenReturn(Optional.of(PageFixture.details()));
        when(operations.retry(any(), anyString(), anyString())).thenReturn(new Changed(1, 0));
    }

    @Test
    void pageWarnsAndAsksForName() throws Exception {
        assertThat(console.send(get("/outbox/events/" + EVENT)).getContentAsString())
                .contains("Insecure mode.", "name=\"operator\" required");
    }

    @Test
    void hiddenContentIsNotSent() throws Exception {
        assertThat(console.page("/outbox/events/" + EVENT))
                .contains("Payload and headers are hidden")
                .doesNotContain("id=\"payload\"", "id=\"trace\"");
        verify(inspector, never()).findContent(any());
    }

    @Test
    void signedInUserActsUnderOwnName() throws Exception {
        TestingAuthenticationToken ann = new TestingAuthenticationToken("ann", "");

        assertThat(console.send(get("/outbox/events/" + EVENT).principal(ann)).getContentAsString())
                .contains("Signed in as</span> <b id=\"operator\">ann</b>")
                .doesNotContain("Insecure mode.", "name=\"operator\"");
        MockHttpServletResponse response = console.submit(retry().principal(ann));

        verify(operations).retry(DeliverySelection.delivery(EVENT, "mail"), "ann", "fixed");
        assertThat(response.getCookie("outbox-operator")).isNull();
    }

    @Test
    void typedNameIsRemembered() throws Exception {
        MockHttpServletResponse response = console.submit(retry());

        verify(operations).retry(DeliverySelection.delivery(EVENT, "mail"), "Zoë; x", "fixed");
        assertThat(response.getHeader("Set-Cookie"))
                .startsWith("outbox-operator=Zo%C3%AB%3B+x;")
                .contains("SameSite=Strict", "HttpOnly", "Path=/outbox");
    }

    @Test
    void linkCannotNameOperator() throws Exception {
        MockHttpServletResponse response =
                console.send(get("/outbox/events/" + EVENT).param("operator", "mallory"));

        assertThat(response.getCookie("outbox-operator")).isNull();
        assertThat(response.getContentAsString()).doesNotContain("mallory");
    }

    /** A page of another site, whose name has come to mean this machine, is of the same origin for the browser. */
    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "shop.localhost, 200",
        "127.0.0.1, 200",
        "[::1], 200",
        "evil.test, 403",
        "localhost.evil.test, 403",
        "127.0.0.1.evil.test, 403"
    })
    void answersUnderNamesOfThisMachineOnly(String host, int status) throws Exception {
        assertThat(console.send(get("http://" + host + "/outbox/events/" + EVENT))
                        .getStatus())
                .isEqualTo(status);
    }

    @Test
    void signedInUserMayComeFromElsewhere() throws Exception {
        TestingAuthenticationToken ann = new TestingAuthenticationToken("ann", "");

        assertThat(console.send(get("http://shop.test/outbox/events/" + EVENT).principal(ann))
                        .getStatus())
                .isEqualTo(200);
    }

    @Test
    void otherSiteCannotNameOperator() throws Exception {
        MockHttpServletResponse response = console.send(retry().header("Sec-Fetch-Site", "cross-site"));

        assertThat(response.getStatus()).isEqualTo(403);
        assertThat(response.getCookie("outbox-operator")).isNull();
        verify(operations, never()).retry(any(), any(), any());
    }

    private static MockHttpServletRequestBuilder retry() {
        return post("/outbox/deliveries/retry")
                .param("event", EVENT.toString())
                .param("handler", "mail")
                .param("operator", "Zoë; x")
                .param("reason", "fixed");
    }
}
