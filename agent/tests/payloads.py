"""Hand-written output of vendors' tools, shaped as theirs, with invented values."""

NVIDIA_SMI = """\
0, GPU-11aa22bb-3344-5566-7788-99aabbccddee, NVIDIA H200, 93, 41, 143771, 120034, 58, 611.42, 700.00, 1830, 3201, 1830, 0, 0, 0, [N/A]
1, GPU-22bb33cc-4455-6677-8899-aabbccddeeff, NVIDIA H200, 0, 0, 143771, 3, 31, 76.10, 700.00, 345, 3201, 345, 0, 0, 0, [N/A]
"""

ROCM_5 = """{"card0":{"GPU ID":"0x740f","Unique ID":"0x1111aaaa2222bbbb","VBIOS version":"113-X00000-001",
 "Temperature (Sensor edge) (C)":"39.0","Temperature (Sensor junction) (C)":"41.0","Temperature (Sensor memory) (C)":"44.0",
 "GPU use (%)":"37","GPU memory use (%)":"12","Average Graphics Package Power (W)":"142.0","Max Graphics Package Power (W)":"300.0",
 "Performance Level":"auto","GPU OverDrive value (%)":"0","GPU Memory OverDrive value (%)":"0",
 "Card series":"Instinct MI210","Card model":"0x0c34","Card vendor":"Advanced Micro Devices, Inc. [AMD/ATI]","Card SKU":"D67301"},
 "system":{"Driver version":"5.18.13"}}"""

ROCM_6 = """{"card0":{"Device Name":"AMD Instinct MI300X","Device ID":"0x74a1","Unique ID":"0x3333cccc4444dddd",
 "Temperature (Sensor junction) (C)":"52.0","Temperature (Sensor memory) (C)":"46.0",
 "GPU use (%)":"88","GPU Memory Allocated (VRAM%)":"71","GPU Memory Read/Write Activity (%)":"35","Memory Activity":"N/A",
 "Current Socket Graphics Package Power (W)":"512.0","Max Graphics Package Power (W)":"750.0","GPU Memory OverDrive value (%)":"0",
 "Card Series":"AMD Instinct MI300X"},
 "card1":{"Device Name":"AMD Instinct MI300X","Temperature (Sensor memory) (C)":"43.0","GPU use (%)":"4%",
 "GPU Memory Allocated (VRAM%)":"0","Current Socket Graphics Package Power (W)":"N/A (Secondary die)",
 "Max Graphics Package Power (W)":"0.0"},
 "system":{"Driver version":"6.7.0"}}"""

AMD_SMI = """[{"gpu":0,"usage":{"gfx_activity":{"value":42,"unit":"%"},"umc_activity":{"value":9,"unit":"%"},"mm_activity":"N/A"},
 "power":{"socket_power":{"value":512,"unit":"W"},"gfx_voltage":{"value":780,"unit":"mV"},"throttle_status":"UNTHROTTLED"},
 "clock":{"gfx_0":{"clk":{"value":1410,"unit":"MHz"}},"mem_0":{"clk":{"value":1300,"unit":"MHz"}}},
 "temperature":{"edge":"N/A","hotspot":{"value":58,"unit":"C"},"mem":{"value":51,"unit":"C"}},
 "ecc":{"total_correctable_count":0,"total_uncorrectable_count":0},"fan":{"speed":"N/A","usage":"N/A"},
 "mem_usage":{"total_vram":{"value":196592,"unit":"MB"},"used_vram":{"value":139600,"unit":"MB"},"free_vram":{"value":56992,"unit":"MB"}}}]"""

APPLE_GPU_STATS = '{"utilization":33,"mem_used":41.5,"temperature":46.1,"power":4.2,"cpu_wait_ms":0}'

MACMON = """{"timestamp":"2026-11-21T07:00:00.000000+00:00","temp":{"cpu_temp_avg":49.2,"gpu_temp_avg":44.8},\
"memory":{"ram_total":34359738368,"ram_usage":21474836480,"swap_total":0,"swap_usage":0},\
"ecpu_usage":[1180,0.21],"pcpu_usage":[2410,0.34],"cpu_usage_pct":0.30,"gpu_usage":[712,0.63],\
"cpu_power":5.1,"gpu_power":8.4,"ane_power":0.0,"all_power":13.5,"sys_power":19.8,"ram_power":0.7}"""

IOREG = """    "PerformanceStatistics" = {"Device Utilization %"=61,"Renderer Utilization %"=58,\
"Tiler Utilization %"=12,"In use system memory"=3221225472,"Alloc system memory"=5368709120}"""

POWERMETRICS = """GPU HW active frequency: 712 MHz
GPU HW active residency:  63.10% (444 MHz: 10%)
GPU idle residency:  36.90%
GPU Power: 8400 mW
"""

IPU = [
    {
        "id": "0", "target": "PCIe", "average board temp": "27.1 C", "average die temp": "31.4 C", "board ipu index": "0",
        "board serial number": "0000.0000.000001", "board type": "C600", "clock": "1330MHz", "driver version": "1.3.0",
        "ipu architecture": "ipu21", "ipu error state": "no errors", "ipu power": "92.5W", "ipu utilisation": "63.25%",
        "ipu utilisation (session)": "61.90%", "link speed": "16.0 GT/s", "link width": "8", "numa node": "0",
        "parity error count": "0", "user process id": "4711", "user process name": "python",
    },
    {"id": "1", "ipu power": "N/A", "user process id": "4712"},
]  # fmt: skip

TPU_USAGE = bytes.fromhex(
    "0a740a227470752e72756e74696d652e68626d2e6d656d6f72792e75736167652e62797465731a260a0f0a096465766963652d696412"
    "021800120b08ae808ad80610e8a7b7751a061080808080201a260a0f0a096465766963652d696412021801120b08ae808ad8061090e5"
    "ba751a06108080808010"
)
"""As a gRPC server wrote it from the service's own definition: 8 GiB on device 0, 4 on device 1."""

TPU_PROFILE = (
    "Timestamp: 07:00\nTPU type: TPU v2\nUtilization of TPU Matrix Units (higher is better): 34.567%\n"
)

NEURON = """{"neuron_runtime_data":[{"pid":4711,"address":"","neuron_runtime_tag":"rt0","error":"","report":{\
"neuroncore_counters":{"period":1.0,"neuroncores_in_use":{"0":{"neuroncore_utilization":71.5},"1":{"neuroncore_utilization":3.25}},"error":""},\
"memory_used":{"period":1.0,"neuron_runtime_used_bytes":{"host":600000000,"neuron_device":100000000,"usage_breakdown":{\
"host":{"application_memory":598000000,"constants":0,"dma_buffers":2000000,"tensors":0},\
"neuroncore_memory_usage":{"0":{"constants":200000,"model_code":98000000,"model_shared_scratchpad":0,"runtime_memory":800000,"tensors":1000000}}}},"error":""}}}],\
"instance_info":{"instance_type":"trn1.2xlarge","error":""},\
"neuron_hardware_info":{"neuron_device_count":1,"neuroncore_per_device_count":2,"error":""}}"""

DCGM = """\
# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-aaaa",device="nvidia0",modelName="NVIDIA H200",Hostname="node-3"} 93
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-aaaa",device="nvidia0",modelName="NVIDIA H200",Hostname="node-3"} 611.4
# TYPE DCGM_FI_DEV_MEMORY_TEMP gauge
DCGM_FI_DEV_MEMORY_TEMP{gpu="1",UUID="GPU-bbbb",device="nvidia1",modelName="NVIDIA H200",Hostname="node-3"} 9223372036854775794
# TYPE DCGM_FI_PROF_SM_ACTIVE gauge
DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-aaaa",Hostname="node-3"} 0.81
# TYPE DCGM_FI_PROF_DRAM_ACTIVE gauge
DCGM_FI_PROF_DRAM_ACTIVE{gpu="0",GPU_I_ID="7",GPU_I_PROFILE="1g.18gb",UUID="GPU-aaaa",Hostname="node-3"} 0.5
"""

PROMETHEUS_QUERY = """{"status":"success","data":{"resultType":"vector","result":[
 {"metric":{"__name__":"DCGM_FI_DEV_GPU_TEMP","gpu":"2","UUID":"GPU-cccc","Hostname":"node-4"},"value":[1795240000.1,"61"]},
 {"metric":{"__name__":"up"},"value":[1795240000.1,"1"]}]}}"""

EXPOSITION = """\
# TYPE node_load1 gauge
node_load1 0.42
# TYPE requests_total counter
requests_total{path="/a",code="200"} 7
requests_total{path="/b",code="200"} 8
requests_total{path="/a",code="500"} 9
# TYPE latency histogram
latency_bucket{le="+Inf"} 3
latency_sum 1
latency_count 3
# TYPE broken gauge
broken NaN
untyped_thing 5
"""

OPENMETRICS = """\
# TYPE jobs counter
jobs_total 17 # {trace_id="abc"} 1
jobs_created 1795240000
# TYPE heat gauge
heat{room="1"} 21.5
# EOF
"""
