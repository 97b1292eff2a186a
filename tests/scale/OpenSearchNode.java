import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.knn.plugin.KNNPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.transport.Netty4Plugin;

/** OpenSearch with its k-NN plugin as one node on loopback: its folder, the port of HTTP, the port between nodes. */
public class OpenSearchNode {
    static class Local extends Node {
        Local(Environment environment) {
            super(environment, List.of(Netty4Plugin.class, PainlessPlugin.class, KNNPlugin.class), true);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.builder()
            .put("path.home", arguments[0])
            .put("network.host", "127.0.0.1")
            .put("http.port", arguments[1])
            .put("transport.port", arguments[2])
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("discovery.type", "single-node")
            .put("cluster.name", "assay")
            .put("node.name", "one")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
        new Local(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "one")).start();
        Thread.currentThread().join();
    }
}
